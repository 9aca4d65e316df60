import type { QueryResult, RecordShape } from 'neo4j-driver';

/** The statements that the answers of a read rest on, each counted once. */
export class Consulted {
  private readonly certainties = new Map<string, number>();
  /** Cleared where a query couldn't tell. */
  private isWhole = true;

  /** @param column of the answer that tells, if any does */
  add<Row extends RecordShape>({ records }: QueryResult<Row>, column: string | undefined): void {
    if (column === undefined) this.isWhole = false;
    else for (const record of records) this.addNested(record.toObject()[column]);
  }

  /** How many, and the lowest certainty among them, where a statement without certainty has 1; undefined where it can't be told. */
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
    if (typeof id === 'string') this.certainties.set(id, typeof certainty === 'number' ? certainty : 1);
    else for (const each of value) this.addNested(each);
  }
}
