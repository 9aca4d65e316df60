/**
 * Values that come several at a time. Whoever can use many at once takes them by `next`, which costs one promise a
 * batch; whoever cannot iterates over them one by one.
 */
export class Batches<T> implements AsyncIterable<T> {
  /**
   * @param next the values that there are, once there are any; undefined when there will be no more
   * @param stop told when nobody wants more, which may be while `next` waits
   */
  constructor(
    readonly next: () => Promise<readonly T[] | undefined>,
    readonly stop: () => void,
  ) {}

  /** Batches of one value each. */
  static of<T>(values: AsyncIterable<T>): Batches<T> {
    const iterator = values[Symbol.asyncIterator]();
    const next = async () => {
      const { done, value } = await iterator.next();
      return done ? undefined : [value];
    };
    // Not awaited: an iterator that is stuck would not answer.
    return new Batches(next, () => void iterator.return?.().catch(() => {}));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    try {
      for (let batch = await this.next(); batch; batch = await this.next()) yield* batch;
    } finally {
      this.stop();
    }
  }
}
