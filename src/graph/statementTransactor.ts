import neo4j, { type Integer } from 'neo4j-driver';
import { highestCertainty, quoted } from './names.ts';
import { isLiteral, type Statement } from './statement.ts';
import { type CurrentStatement, fixedPlan, StatementReader } from './statementReader.ts';
import { dateTime, literalValue, type Neo4jValue } from './values.ts';
import { listsOf } from './voice.ts';

/** Who changes the graph, when, and under which update: it stands on every edge that the update writes, and on every one that it ends. */
export interface Attribution {
  updateId: string;
  sourceAgentId: string;
  taskId?: string;
  /** Milliseconds since 1970. */
  recordedAt: number;
  /** The tenant's revision that the update makes. */
  revision: Integer;
}

/** A statement that an update writes or ends. */
export interface Attributed extends CurrentStatement {
  by: Attribution;
}

/**
 * Writes the statements of one tenant inside a transaction that holds the tenant's ledger. Each call is one query for one predicate
 * or class, whatever the number of statements and of updates that they come from.
 */
export class StatementTransactor extends StatementReader {
  /** Creates these entities where they are new and gives the class to those without one. */
  async ensureEntities(classIri: string | undefined, ids: string[]): Promise<void> {
    const classify =
      classIri === undefined ? '' : `SET e.type = $in.classIri, e:${quoted(this.dictionary.label(classIri))}`;
    await this.write(`UNWIND $in.ids AS id MERGE (e:Entity {tenant: $tenant, id: id}) ${classify}`, {
      ids,
      classIri,
    });
  }

  /** States statements that don't hold yet, each of them in one voice; their entities exist. */
  async create(predicate: string, statements: Attributed[]): Promise<void> {
    const type = quoted(this.dictionary.relationshipType(predicate));
    const updates = new Updates();
    const rows = statements.map((current) => ({
      ...utterance(current),
      ...ends(current.statement),
      by: updates.indexOf(current.by),
    }));
    const said = updates.all((by) => saying(predicate, by));
    const literals = rows.filter((row) => 'value' in row);
    const links = rows.filter((row) => 'object' in row);
    await Promise.all([
      literals.length > 0 &&
        this.write(
          `UNWIND $in.rows AS row
           MATCH (s:Entity {tenant: $tenant, id: row.subject}) USING INDEX SEEK s:Entity(tenant, id)
           WITH row, s, $in.said[row.by] AS said
           CREATE (s)-[r:${type} {${edgeProperties}}]->
             (:Literal {tenant: $tenant, value: row.value, datatype: row.datatype, language: row.language})`,
          { rows: literals, said },
        ),
      links.length > 0 &&
        this.write(
          `UNWIND $in.rows AS row
           MATCH (s:Entity {tenant: $tenant, id: row.subject}) USING INDEX SEEK s:Entity(tenant, id)
           MATCH (o:Entity {tenant: $tenant, id: row.object}) USING INDEX SEEK o:Entity(tenant, id)
           WITH row, s, o, $in.said[row.by] AS said
           CREATE (s)-[r:${type} {${edgeProperties}}]->(o)`,
          { rows: links, said },
        ),
    ]);
  }

  /** Gives statements that hold other voices and a new attribution; what they were stays as a PAST edge. */
  async revise(predicate: string, statements: Attributed[]): Promise<void> {
    const updates = new Updates();
    const rows = statements.map((current) => ({
      ...utterance(current),
      ...listsOf(current.voices),
      ...speaker(current),
      by: updates.indexOf(current.by),
    }));
    await this.write(
      `UNWIND $in.rows AS row
       ${this.matchEdge(predicate, 'row.statementId')}
       WITH row, s, r, o, $in.said[row.by] AS said
       ${intoHistory}
       SET r = {${revisedProperties}}`,
      {
        rows,
        said: updates.all((by) => ({ ...saying(predicate, by), ...this.ending(predicate, by) })),
      },
    );
  }

  /** Retracts statements that hold; they stay as PAST edges. */
  async retire(predicate: string, statements: Attributed[]): Promise<void> {
    const updates = new Updates();
    const rows = statements.map(({ id, by }) => ({ statementId: id, by: updates.indexOf(by) }));
    await this.write(
      `UNWIND $in.rows AS row
       ${this.matchEdge(predicate, 'row.statementId')}
       WITH s, r, o, $in.said[row.by] AS said
       ${intoHistory}
       DELETE r`,
      { rows, said: updates.all((by) => this.ending(predicate, by)) },
    );
  }

  /** Sets the projected properties of entities; null removes one. */
  async project(
    rows: { id: string; properties: Record<string, Neo4jValue | Neo4jValue[] | null> }[],
  ): Promise<void> {
    await this.write(
      `UNWIND $in.rows AS row
       MATCH (e:Entity {tenant: $tenant, id: row.id})
       USING INDEX SEEK e:Entity(tenant, id)
       SET e += row.properties`,
      { rows },
    );
  }

  /** Sets the highest certainty of entities that is known, from 0 to 1. */
  async rate(entities: { id: string; highest: number }[]): Promise<void> {
    await this.write(
      `UNWIND $in.entities AS row
       MATCH (e:Entity {tenant: $tenant, id: row.id})
       USING INDEX SEEK e:Entity(tenant, id)
       SET e.${highestCertainty} = CASE WHEN row.highest < 1.0 THEN row.highest END`,
      { entities },
    );
  }

  /** Works out the highest certainty of entities anew, from all of their statements only where none of them is certain. */
  async rateAnew(ids: string[]): Promise<void> {
    await this.write(
      `UNWIND $in.ids AS id
       MATCH (e:Entity {tenant: $tenant, id: id})
       USING INDEX SEEK e:Entity(tenant, id)
       CALL (e) {
         WITH e WHERE NOT EXISTS { (e)-[r:!PAST]-() WHERE coalesce(r.certainty, 1.0) >= 1.0 }
         OPTIONAL MATCH (e)-[r:!PAST]-()
         RETURN max(coalesce(r.certainty, 0.0)) AS highest
       }
       SET e.${highestCertainty} = highest`,
      { ids },
    );
  }

  private matchEdge(predicate: string, id: string): string {
    const type = quoted(this.dictionary.relationshipType(predicate));
    return `MATCH (s:Entity)-[r:${type} {statementId: ${id}}]->(o) USING INDEX SEEK r:${type}(statementId)`;
  }

  /** What all edges of one predicate have in common that an update ends. */
  private ending(predicate: string, { recordedAt, sourceAgentId, updateId, revision }: Attribution) {
    return {
      ended: {
        relationshipType: this.dictionary.relationshipType(predicate),
        retractedAt: dateTime(recordedAt),
        retractedBy: sourceAgentId,
        retractedIn: updateId,
        retractedRevision: revision,
      },
    };
  }

  private async write(query: string, parameters: Record<string, unknown>): Promise<void> {
    await this.tx.run(`${fixedPlan} ${query}`, { in: parameters, tenant: this.tenant });
  }
}

/** The updates behind the rows of one query: what they say travels once. */
class Updates {
  private readonly indexes = new Map<Attribution, number>();

  indexOf(by: Attribution): Integer {
    const index = this.indexes.get(by) ?? this.indexes.size;
    this.indexes.set(by, index);
    return neo4j.int(index);
  }

  all<Said>(say: (by: Attribution) => Said): Said[] {
    return [...this.indexes.keys()].map(say);
  }
}

/** What all edges of one predicate have in common that an update states. */
function saying(predicate: string, { recordedAt, ...attribution }: Attribution) {
  return {
    predicate,
    ...attribution,
    taskId: attribution.taskId ?? null,
    recordedAt: dateTime(recordedAt),
  };
}

/** Written out, for `SET r = map` after CREATE would read every row before it writes the first. */
const properties = [
  'tenant: $tenant',
  'observedAt: datetime({epochMillis: toInteger(row.observedAt)})',
  ...['statementId', 'graph', 'certainty', 'provenance'].map((name) => `${name}: row.${name}`),
  ...['predicate', 'taskId', 'updateId', 'recordedAt', 'revision'].map((name) => `${name}: said.${name}`),
];
const edgeProperties = [...properties, 'sourceAgentId: said.sourceAgentId'].join(', ');
const revisedProperties = [
  ...properties,
  'sourceAgentId: coalesce(row.sourceAgentId, said.sourceAgentId)',
  ...['sources', 'sourceCertainties', 'sourceDetails'].map((name) => `${name}: row.${name}`),
].join(', ');

const intoHistory = `CREATE (s)-[past:PAST]->(o)
  SET past = properties(r), past += said.ended`;

/** What one edge has of its own. */
function utterance({ id, statement: { graph, certainty, provenance }, observedAt }: CurrentStatement) {
  return {
    statementId: id,
    graph: graph ?? null,
    certainty: certainty ?? null,
    provenance: provenance === undefined ? null : JSON.stringify(provenance),
    // A number: ten thousand points in time are slow to send.
    observedAt,
  };
}

/** Who states a statement of which another has withdrawn its voice. */
function speaker({ voices, by }: Attributed): { sourceAgentId?: string } {
  const sourceAgentId = voices.at(-1)?.sourceAgentId;
  return sourceAgentId === by.sourceAgentId ? {} : { sourceAgentId };
}

/** Where one edge begins and ends. */
function ends({ subject, object }: Statement) {
  return isLiteral(object)
    ? {
        subject: subject.id,
        value: literalValue(object),
        datatype: object.type,
        language: object.language ?? null,
      }
    : { subject: subject.id, object: object.id };
}
