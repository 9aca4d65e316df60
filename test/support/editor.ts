import { afterAll } from '@jest/globals';
import neo4j, { type Driver } from 'neo4j-driver';
import { type Neo4jSettings, neo4jSettings } from './service.ts';

/** Somebody who works in Neo4j by hand, as in Neo4j Browser. */
export interface Editor {
  /** Runs one query in a transaction of its own. */
  edit<Row extends object>(query: string, parameters?: Record<string, unknown>): Promise<Row[]>;
  /** Waits until Concord has taken all edits. */
  taken(): Promise<void>;
}

const patienceMs = 60_000;

/**
 * An editor on a Neo4j until the tests of a file end.
 * @param settings of the Neo4j, read at the first edit; the one of the tests unless another is named
 */
export function useEditor(settings: Neo4jSettings = neo4jSettings): Editor {
  let driver: Driver | undefined;
  afterAll(() => driver?.close());
  function connect(): Driver {
    const { NEO4J_URI, NEO4J_USER = 'neo4j', NEO4J_PASSWORD } = settings;
    return neo4j.driver(NEO4J_URI, neo4j.auth.basic(NEO4J_USER, NEO4J_PASSWORD), { disableLosslessIntegers: true });
  }
  async function edit<Row extends object>(query: string, parameters = {}): Promise<Row[]> {
    driver ??= connect();
    const session = driver.session();
    try {
      const { records } = await session.run(query, parameters, { metadata: { app: 'neo4j-browser_v5' } });
      return records.map((record) => record.toObject() as Row);
    } finally {
      await session.close();
    }
  }
  async function taken() {
    for (const end = Date.now() + patienceMs; ; ) {
      const [row] = await edit<{ edits: number }>('MATCH (e:DirectEdit) RETURN count(e) AS edits');
      if (row?.edits === 0) return;
      if (Date.now() > end) throw new Error(`${row?.edits} edits have not been taken within ${patienceMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return { edit, taken };
}
