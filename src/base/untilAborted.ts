/**
 * Yields what `iterable` yields until the signal aborts, also while `iterable` itself is stuck waiting.
 * However it ends, the iterator's `return` is called; it is not awaited, as a stuck iterator would not answer.
 */
export async function* untilAborted<T>(iterable: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void> {
  const iterator = iterable[Symbol.asyncIterator]();
  // One listener for the whole stream: racing each step against one promise would keep every step in memory.
  let stop = () => {};
  const onAbort = () => stop();
  signal.addEventListener('abort', onAbort);
  try {
    while (!signal.aborted) {
      const step = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
        stop = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (!step || step.done) return;
      yield step.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    iterator.return?.().catch(() => {});
  }
}
