import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

/** Observes this process: memory in bytes, processor time and the event loop's delay in seconds. */
export function observeProcess(meter: Meter): { close(): void } {
  const memory = meter.createObservableGauge('process_memory_bytes', {
    description: 'Memory in use, by kind',
  });
  memory.addCallback((gauge) => {
    const { rss, heapUsed, external } = process.memoryUsage();
    gauge.observe(rss, { kind: 'resident' });
    gauge.observe(heapUsed, { kind: 'heap' });
    gauge.observe(external, { kind: 'external' });
  });

  const processor = meter.createObservableCounter('process_cpu_seconds', {
    description: 'Processor time used',
  });
  processor.addCallback((counter) => {
    const { user, system } = process.cpuUsage();
    counter.observe((user + system) / 1e6);
  });

  const resolution = 20;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const lag = meter.createObservableGauge('nodejs_eventloop_lag_seconds', {
    description: 'Delay of the event loop since the last reading',
    unit: 's',
  });
  lag.addCallback((gauge) => {
    // The histogram holds the time between two ticks of a timer, so an idle loop shows the resolution itself.
    const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1e3);
    gauge.observe(seconds(delay.percentile(50)), { quantile: '0.5' });
    gauge.observe(seconds(delay.percentile(99)), { quantile: '0.99' });
    gauge.observe(seconds(delay.max), { quantile: '1' });
    delay.reset();
  });

  return {
    close() {
      delay.disable();
    },
  };
}
