/** What was opened, to be closed in reverse order. */
export class Closing {
  private readonly opened: (() => Promise<void> | void)[] = [];

  /** Keeps a part to be closed, and gives it back. */
  add<Part extends { close(): Promise<unknown> | unknown }>(part: Part): Part {
    this.opened.push(async () => void (await part.close()));
    return part;
  }

  /** Closes what was opened; a second time does nothing. */
  async close(): Promise<void> {
    for (const close of this.opened.splice(0).reverse()) await close();
  }
}
