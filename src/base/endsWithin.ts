import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for work, but no longer than so many milliseconds.
 * @returns whether it has ended by then
 * @throws what the work fails by
 */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  try {
    return await Promise.race([work.then(() => true), sleep(ms, false, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
  }
}

/** Waits for what closes; after so many milliseconds it cuts what holds that up, and waits on. */
export async function closesWithin(closed: Promise<unknown>, ms: number, cut: () => void): Promise<void> {
  if (await endsWithin(closed, ms)) return;
  cut();
  await closed;
}
