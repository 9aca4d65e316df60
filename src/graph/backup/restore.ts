import type { Session } from 'neo4j-driver';
import { StartupError } from '../../base/errors.ts';
import { Database, type DatabaseAddress } from '../database/database.ts';
import { withSetupLock } from '../setup/setupLock.ts';
import {
  type Counts,
  checkArchive,
  type GraphLine,
  graphOf,
  type NodeLine,
  type RelationshipLine,
  type SchemaRule,
} from './archive.ts';
import { numberOf, withExactSession } from './exact.ts';
import { unpacked } from './properties.ts';

/** Nodes or relationships in a transaction. */
const batch = 2_000;

/**
 * Fills an empty database from a backup, constraints and indexes included. The file is read as a whole before, so that a
 * damaged one changes nothing. Replicas that start meanwhile wait.
 * @throws StartupError where the database isn't empty, or the file isn't a whole backup
 */
export async function restore(
  address: DatabaseAddress,
  file: string,
  report: (line: string) => void,
): Promise<Counts & { takenAt: string }> {
  const { schema, ...told } = await checkArchive(file);
  const database = new Database(address);
  try {
    await requireEmpty(database);
    await withSetupLock(database, { report }, async () => {
      await requireEmpty(database);
      await makeSchema(database, schema);
      await withExactSession(address, (session) => new Writing(session).write(graphOf(file)));
      await database.run('READ', 'CALL db.awaitIndexes(300)');
    });
    return told;
  } finally {
    await database.close();
  }
}

async function requireEmpty(database: Database): Promise<void> {
  const [row] = await database.run<{ found: number }>('READ', 'MATCH (n:!SetupLock) RETURN count(n) AS found');
  if (!row?.found) return;
  throw new StartupError(
    `The database has ${row.found} nodes; a backup is restored into an empty one, before Concord starts on it.`,
  );
}

async function makeSchema(database: Database, schema: SchemaRule[]): Promise<void> {
  // A constraint's index has its name.
  const rows = await database.run<{ name: string }>('READ', 'SHOW INDEXES YIELD name RETURN name');
  const there = new Set(rows.map(({ name }) => name));
  for (const { name, command } of schema) if (!there.has(name)) await database.ensure(command);
}

class Writing {
  /** The new number of each node, by its number in the file. */
  private numbers = new Float64Array(1 << 16);
  /** What all element ids of this database begin with. */
  private prefix = '';

  constructor(private readonly session: Session) {}

  async write(lines: AsyncIterable<GraphLine>): Promise<void> {
    let waiting: GraphLine[] = [];
    for await (const line of lines) {
      if (waiting.length === batch || (waiting[0] && waiting[0][0] !== line[0])) {
        await this.writeBatch(waiting);
        waiting = [];
      }
      waiting.push(line);
    }
    await this.writeBatch(waiting);
  }

  private writeBatch(lines: GraphLine[]): Promise<void> {
    const isNodes = lines[0]?.[0] === 'node';
    return isNodes ? this.nodes(lines as NodeLine[]) : this.relationships(lines as RelationshipLine[]);
  }

  private async nodes(lines: NodeLine[]): Promise<void> {
    const rows = lines.map(([, number, labels, properties]) => [String(number), labels, unpacked(properties)]);
    const { records } = await this.session.executeWrite((tx) =>
      tx.run<{ number: string; id: string }>(
        `UNWIND $in.rows AS row
         CREATE (n:$(row[1])) SET n = row[2]
         RETURN row[0] AS number, elementId(n) AS id`,
        { in: { rows } },
      ),
    );
    for (const record of records) {
      const id = record.get('id');
      this.prefix = id.slice(0, id.lastIndexOf(':') + 1);
      this.remember(Number(record.get('number')), numberOf(id));
    }
  }

  private async relationships(lines: RelationshipLine[]): Promise<void> {
    const rows = lines.map(([, type, from, to, properties]) => [
      type,
      this.id(from),
      this.id(to),
      unpacked(properties),
    ]);
    await this.session.executeWrite((tx) =>
      tx.run(
        `UNWIND $in.rows AS row
         MATCH (a) WHERE elementId(a) = row[1]
         MATCH (b) WHERE elementId(b) = row[2]
         CREATE (a)-[r:$(row[0])]->(b) SET r = row[3]`,
        { in: { rows } },
      ),
    );
  }

  private id(number: number): string {
    return `${this.prefix}${this.numbers[number]}`;
  }

  private remember(number: number, now: number): void {
    if (number >= this.numbers.length) {
      const grown = new Float64Array(Math.max(number + 1, this.numbers.length * 2));
      grown.set(this.numbers);
      this.numbers = grown;
    }
    this.numbers[number] = now;
  }
}
