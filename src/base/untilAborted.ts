/** What gives one value after another, and is told when nobody wants more, also while it is stuck waiting. */
interface Source<Step> {
  next(): Promise<Step>;
  stop(): void;
}

/** The same, with nothing more to come once the signal aborts, also while the source itself is stuck waiting. */
export function stepsUntilAborted<Step>(source: Source<Step>, signal: AbortSignal): Source<Step | undefined> {
  // One listener for the whole stream: racing each step against one promise would keep every step in memory.
  let abort = () => {};
  const onAbort = () => abort();
  signal.addEventListener('abort', onAbort);
  return {
    next: () =>
      signal.aborted
        ? Promise.resolve(undefined)
        : new Promise((resolve, reject) => {
            abort = () => resolve(undefined);
            source.next().then(resolve, reject);
          }),
    stop() {
      signal.removeEventListener('abort', onAbort);
      source.stop();
    },
  };
}

/**
 * Yields what `iterable` yields until the signal aborts, also while `iterable` itself is stuck waiting.
 * However it ends, the iterator's `return` is called; it is not awaited, as a stuck iterator would not answer.
 */
export async function* untilAborted<T>(iterable: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void> {
  const iterator = iterable[Symbol.asyncIterator]();
  const stop = () => void iterator.return?.().catch(() => {});
  const steps = stepsUntilAborted({ next: () => iterator.next(), stop }, signal);
  try {
    for (let step = await steps.next(); step && !step.done; step = await steps.next()) yield step.value;
  } finally {
    steps.stop();
  }
}
