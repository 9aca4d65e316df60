import { isCertainty } from '../statements/statement.ts';

/** The statements that the answers of a read rest on, each counted once. */
export class Consulted {
  private readonly certainties = new Map<string, number>();
  /** Cleared where a query couldn't tell. */
  private isWhole = true;

  /** @param rows what each row of an answer rests on; undefined where that can't be told */
  add(rows: readonly unknown[] | undefined): void {
    if (rows === undefined) this.isWhole = false;
    else this.addNested(rows);
  }

  /**
   * How many, and the lowest certainty among them, where a statement without certainty has 1; undefined where it can't
   * be told.
   */
  summary(): { statements: number; lowestCertainty?: number } | undefined {
    if (!this.isWhole) return undefined;
    const statements = this.certainties.size;
    let lowestCertainty = 1;
    for (const certainty of this.certainties.values()) lowestCertainty = Math.min(lowestCertainty, certainty);
    return { statements, ...(statements > 0 && { lowestCertainty }) };
  }

  /** Pairs of statement id and certainty within lists. */
  private addNested(value: unknown): void {
    if (!Array.isArray(value)) return;
    const [id, certainty] = value;
    if (typeof id === 'string') this.certainties.set(id, isCertainty(certainty) ? certainty : 1);
    else for (const each of value) this.addNested(each);
  }
}
