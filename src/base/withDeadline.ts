/**
 * Works with a signal that aborts as another does, or with a `TimeoutError` after some milliseconds.
 *
 * `AbortSignal.any` of an `AbortSignal.timeout` doesn't do: Node 20 holds that timeout weakly, so the next garbage
 * collection takes it, and nothing ever aborts.
 * @throws what the work throws
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException(`Took longer than ${ms} ms`, 'TimeoutError')), ms);
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
