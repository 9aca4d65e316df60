import type { Session } from 'neo4j-driver';
import { StartupError } from '../../base/errors.ts';
import { Database, type DatabaseAddress } from '../database/database.ts';
import { withSetupLock } from '../setup/setupLock.ts';
import { holdingWrites } from '../updates/hold.ts';
import { type Counts, type GraphLine, type SchemaRule, writeArchive } from './archive.ts';
import { numberOf, withExactSession } from './exact.ts';
import { packed } from './properties.ts';

/** What is written without a ledger: tasks, with what belongs to each. */
const ofTasks = 'Task|Message|Artifact|TaskEvent|PushConfig';
const ended = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'];
const lockMs = 60_000;
const unlimited = { timeout: 0, metadata: { app: 'concord' } };

export interface Taken extends Counts {
  /** How long updates, reviews and purges were refused. */
  heldSeconds: number;
}

/**
 * Writes the whole graph into a file while replicas run. Queries and subscriptions go on. Tasks are read first, each as
 * a whole; then nothing is written under any ledger until the rest is read, so that it is of one moment.
 * @throws StartupError
 */
export async function backUp(address: DatabaseAddress, file: string, report: (line: string) => void): Promise<Taken> {
  const database = new Database(address);
  try {
    return await withSetupLock(database, { report }, () =>
      withExactSession(address, async (session) => {
        const reading = new Reading(session);
        const tasks = await reading.tasks();
        const begun = performance.now();
        const counts = await holdingWrites(database, async () => {
          const head = { takenAt: new Date().toISOString(), schema: await schemaOf(database) };
          return writeArchive(file, head, reading.graph(tasks));
        });
        return { ...counts, heldSeconds: Math.round((performance.now() - begun) / 100) / 10 };
      }),
    );
  } finally {
    await database.close();
  }
}

interface NodeRow {
  id: string;
  labels: string[];
  properties: Record<string, unknown>;
}

interface RelationshipRow {
  type: string;
  from: string;
  to: string;
  properties: Record<string, unknown>;
}

class Reading {
  /** One bit for each node that was read, by its number. */
  private seen = new Uint8Array(1 << 16);

  constructor(private readonly session: Session) {}

  /** While none of them changes. One that is new by then is left out, with all that is its own. */
  async tasks(): Promise<GraphLine[]> {
    const tx = this.session.beginTransaction({ ...unlimited, timeout: lockMs });
    try {
      const { records } = await tx.run<{ key: string }>(
        `MATCH (t:Task) WHERE t.state IS NOT NULL AND NOT t.state IN $ended SET t.id = t.id
         WITH count(*) AS locked
         MATCH (t:Task) RETURN t.tenant + ' ' + t.id AS key`,
        { ended },
      );
      const known = new Set(records.map((record) => record.get('key')));
      const lines: GraphLine[] = [];
      const nodes = `MATCH (n:${ofTasks}) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties`;
      for await (const record of tx.run<NodeRow>(nodes)) {
        const row = record.toObject();
        const { tenant, id, taskId } = row.properties;
        const key = `${tenant} ${row.labels.includes('Task') ? id : taskId}`;
        if (known.has(key)) lines.push(this.node(row));
      }
      return lines;
    } finally {
      // Nothing was changed: it was for the locks.
      await tx.close();
    }
  }

  /** All other nodes, and the relationships of all that were read. */
  async *graph(tasks: GraphLine[]): AsyncGenerator<GraphLine> {
    yield* tasks;
    const nodes = `MATCH (n:!(${ofTasks}|SetupLock))
      RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties`;
    for await (const record of this.session.run<NodeRow>(nodes, {}, unlimited)) yield this.node(record.toObject());
    const relationships = `MATCH (a)-[r]->(b)
      RETURN type(r) AS type, elementId(a) AS from, elementId(b) AS to, properties(r) AS properties`;
    for await (const record of this.session.run<RelationshipRow>(relationships, {}, unlimited)) {
      const { type, properties, ...ends } = record.toObject();
      const [from, to] = [numberOf(ends.from), numberOf(ends.to)];
      // Of what came while it was read.
      if (this.has(from) && this.has(to)) yield ['relationship', type, from, to, packed(properties)];
    }
  }

  private node({ id, labels, properties }: NodeRow): GraphLine {
    const number = numberOf(id);
    if (this.has(number)) throw new StartupError('A node was removed while it was read. Try again.');
    this.remember(number);
    // What holds writes is none of the graph's.
    const { heldUntil: _, ...kept } = properties;
    return ['node', number, labels, packed(labels.includes('Ledger') ? kept : properties)];
  }

  private has(number: number): boolean {
    return ((this.seen[Math.floor(number / 8)] ?? 0) & (1 << (number & 7))) !== 0;
  }

  private remember(number: number): void {
    const index = Math.floor(number / 8);
    if (index >= this.seen.length) {
      const grown = new Uint8Array(Math.max(index + 1, this.seen.length * 2));
      grown.set(this.seen);
      this.seen = grown;
    }
    this.seen[index] = (this.seen[index] ?? 0) | (1 << (number & 7));
  }
}

/** Constraints and what indexes there are beside theirs, without the look-ups that every database comes with. */
async function schemaOf(database: Database): Promise<SchemaRule[]> {
  const constraints = await database.run<SchemaRule>(
    'READ',
    'SHOW CONSTRAINTS YIELD name, createStatement RETURN name, createStatement AS command ORDER BY name',
  );
  const indexes = await database.run<SchemaRule>(
    'READ',
    `SHOW INDEXES YIELD name, type, owningConstraint, createStatement
     WHERE owningConstraint IS NULL AND type <> 'LOOKUP'
     RETURN name, createStatement AS command ORDER BY name`,
  );
  return [...constraints, ...indexes];
}
