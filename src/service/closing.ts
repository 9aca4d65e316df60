/** What was opened, to be closed in reverse order. */
export class Closing {
  private isClosed = false;
  private readonly opened: (() => Promise<void> | void)[] = [];

  /** Keeps a part to be closed, and gives it back. One that comes too late is closed at once. */
  add<Part extends { close(): Promise<unknown> | unknown }>(part: Part): Part {
    if (this.isClosed) void Promise.resolve(part.close()).catch(() => {});
    else this.opened.push(async () => void (await part.close()));
    return part;
  }

  /** Closes what was opened; a second time does nothing. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const close of this.opened.splice(0).reverse()) await close();
  }
}
