/**
 * Yields what `source` yields, and reads it to its end also when nobody listens any more: the SDK keeps a task's record
 * up to date only while the stream that began it is read.
 * @param failed told of an error that nobody was there to hear
 */
export async function* drain<T>(source: AsyncIterable<T>, failed: (error: unknown) => void): AsyncGenerator<T, void> {
  const waiting: T[] = [];
  let listening = true;
  let end: { error?: unknown } | undefined;
  let wake = () => {};
  const read = async () => {
    for await (const each of source) {
      if (listening) waiting.push(each);
      wake();
    }
  };
  read()
    .then(
      () => {
        end = {};
      },
      (error: unknown) => {
        end = { error };
        if (!listening) failed(error);
      },
    )
    .finally(() => wake());
  try {
    for (;;) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
      if (end) {
        if ('error' in end) throw end.error;
        return;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    listening = false;
  }
}
