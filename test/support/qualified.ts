import type { Database } from '../../src/graph/database/database.ts';
import type { Qualified } from '../../src/graph/qualify/qualifier.ts';

/** The rows of a qualified query by the names that its author gave the columns. */
export async function rowsOf(
  database: Database,
  qualified: Qualified,
  given: Record<string, unknown> = {},
): Promise<Record<string, unknown>[]> {
  const rows = await database.run('READ', qualified.cypher, qualified.parametersFor(given));
  return rows.map((row) => {
    const values = Object.values(row);
    return Object.fromEntries(qualified.columns.map((name, index) => [name, values[index]]));
  });
}
