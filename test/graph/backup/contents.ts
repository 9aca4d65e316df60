import { numberOf, withExactSession } from '../../../src/graph/backup/exact.ts';
import { packed } from '../../../src/graph/backup/properties.ts';
import type { Database, DatabaseAddress } from '../../../src/graph/database/database.ts';

export interface Contents {
  nodes: string[];
  relationships: string[];
  schema: string[];
}

/** All of a database but the lock of who sets it up, so that two can be compared: what is in no order is sorted. */
export async function contentsOf(database: Database, address: DatabaseAddress): Promise<Contents> {
  const texts = new Map<number, string>();
  const relationships: string[] = [];
  const textOf = (properties: Record<string, unknown>) =>
    JSON.stringify(Object.entries(packed(properties)).sort(([one], [other]) => (one < other ? -1 : 1)));
  await withExactSession(address, async (session) => {
    const nodes = await session.run(
      'MATCH (n:!SetupLock) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS p',
    );
    for (const record of nodes.records) {
      const { id, labels, p } = record.toObject();
      texts.set(numberOf(id), `${labels.sort()} ${textOf(p)}`);
    }
    const edges = await session.run(
      'MATCH (a)-[r]->(b) RETURN type(r) AS t, elementId(a) AS a, elementId(b) AS b, properties(r) AS p',
    );
    for (const record of edges.records) {
      const { t, a, b, p } = record.toObject();
      relationships.push(`${texts.get(numberOf(a))} -${t} ${textOf(p)}-> ${texts.get(numberOf(b))}`);
    }
  });
  const commands = (kind: string) =>
    database.run<{ command: string }>('READ', `SHOW ${kind} YIELD createStatement RETURN createStatement AS command`);
  const schema = [...(await commands('CONSTRAINTS')), ...(await commands('INDEXES'))];
  return {
    nodes: [...texts.values()].sort(),
    relationships: relationships.sort(),
    schema: schema.map(({ command }) => command).sort(),
  };
}
