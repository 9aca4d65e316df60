import neo4j, { type Integer } from 'neo4j-driver';
import { getOrInsert } from '../../base/getOrInsert.ts';
import { highestCertainty, quoted } from '../names/names.ts';
import { isLiteral } from './statement.ts';
import { type CurrentStatement, StatementReader } from './statementReader.ts';
import { dateTime, literalValue, type Neo4jValue } from './values.ts';
import { listsOf } from './voice.ts';

/**
 * Who changes the graph, when, and under which update: it stands on every edge that the update writes, and on every one
 * that it ends.
 */
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

/** What an update makes of an entity, which may be new. */
export interface EntityState {
  id: string;
  /** Absent where the entity has its class already, or gets none. */
  classIri?: string;
  /** Those that it gets; null removes one. */
  properties: Record<string, Neo4jValue | Neo4jValue[] | null>;
}

/**
 * Writes the statements of one tenant inside a transaction that holds the tenant's ledger. Each call is one query, of
 * one predicate where it looks for statements, whatever the number of statements and of updates that they come from.
 */
export class StatementTransactor extends StatementReader {
  /**
   * Brings entities to what they are to be, and states statements that don't hold yet, each of them in one voice. Every
   * entity is looked up once, however many statements name it.
   */
  async state(entities: EntityState[], statements: Attributed[]): Promise<void> {
    const rows = new Listed<[id: string, EntityState['properties'], labels: string[], place: number]>();
    const placeOf = ({ id, classIri, properties }: EntityState) =>
      rows.placeOf(id, (place) =>
        classIri === undefined
          ? [id, properties, [], place]
          : [id, { ...properties, type: classIri }, [this.dictionary.label(classIri)], place],
      );
    entities.forEach(placeOf);
    const said = new Listed<ReturnType<typeof saying> & { relationshipType: string }>();
    const literals: unknown[][] = [];
    const links: unknown[][] = [];
    for (const current of statements) {
      const { subject, predicate, object } = current.statement;
      const { statementId, graph, certainty, provenance, observedAt } = utterance(current);
      const row: unknown[] = [
        placeOf({ id: subject.id, properties: {} }),
        said.placeOf(`${current.by.updateId} ${predicate.id}`, () => ({
          ...saying(predicate.id, current.by),
          relationshipType: this.dictionary.relationshipType(predicate.id),
        })),
        statementId,
        graph,
        certainty,
        provenance,
        observedAt,
      ];
      if (isLiteral(object)) {
        row.push(literalValue(object), object.type, object.language ?? null);
        literals.push(row);
      } else {
        row.push(placeOf({ id: object.id, properties: {} }));
        links.push(row);
      }
    }
    await this.write(stateAll, { entities: rows.items, said: said.items, literals, links });
  }

  /** Gives statements that hold other voices and a new attribution; what they were stays as a PAST edge. */
  async revise(predicate: string, statements: Attributed[]): Promise<void> {
    const said = new Listed<object>();
    const rows = statements.map((current) => ({
      ...utterance(current),
      ...listsOf(current.voices),
      ...speaker(current),
      by: said.placeOf(current.by.updateId, () => ({
        ...saying(predicate, current.by),
        ...this.ending(predicate, current.by),
      })),
    }));
    await this.write(
      `UNWIND $in.rows AS row
       ${this.matchEdge(predicate, 'row.statementId')}
       WITH row, s, r, o, $in.said[row.by] AS said
       ${intoHistory}
       SET r = {${revisedProperties}}`,
      { rows, said: said.items },
    );
  }

  /** Retracts statements that hold; they stay as PAST edges. */
  async retire(predicate: string, statements: Attributed[]): Promise<void> {
    const said = new Listed<object>();
    const rows = statements.map(({ id, by }) => ({
      statementId: id,
      by: said.placeOf(by.updateId, () => this.ending(predicate, by)),
    }));
    await this.write(
      `UNWIND $in.rows AS row
       ${this.matchEdge(predicate, 'row.statementId')}
       WITH s, r, o, $in.said[row.by] AS said
       ${intoHistory}
       DELETE r`,
      { rows, said: said.items },
    );
  }

  /** Sets the projected properties of entities; null removes one. */
  async project(rows: Pick<EntityState, 'id' | 'properties'>[]): Promise<void> {
    await this.write(
      `UNWIND $in.rows AS row
       MATCH (e:Entity {tenant: $tenant, id: row.id})
       USING INDEX SEEK e:Entity(tenant, id)
       SET e += row.properties`,
      { rows },
    );
  }

  /**
   * Works out the highest certainty of entities anew, from all of their statements only where none of them is certain.
   * An edge made by hand is no statement where it has no id, where its other end is another tenant's, or where nobody
   * can be as certain.
   */
  async rateAnew(ids: string[]): Promise<void> {
    await this.write(
      `UNWIND $in.ids AS id
       MATCH (e:Entity {tenant: $tenant, id: id})
       USING INDEX SEEK e:Entity(tenant, id)
       CALL (e) {
         WITH e WHERE NOT EXISTS {
           (e)-[r:!PAST]-(o) WHERE coalesce(r.certainty, 1.0) = 1.0 AND r.statementId IS NOT NULL AND o.tenant = $tenant
         }
         OPTIONAL MATCH (e)-[r:!PAST]-(o) WHERE r.certainty < 1.0 AND r.statementId IS NOT NULL AND o.tenant = $tenant
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
    await this.rows(query, { in: parameters });
  }
}

/** What the rows of one query have in common, each once: a row tells its place in this list. */
class Listed<Item> {
  readonly items: Item[] = [];
  private readonly places = new Map<string, Integer>();

  /** The place of what has this key; what isn't there yet is made. */
  placeOf(key: string, make: (place: number) => Item): Integer {
    return getOrInsert(this.places, key, () => {
      const place = this.items.length;
      this.items.push(make(place));
      return neo4j.int(place);
    });
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
const properties = (own: (name: string) => string) =>
  [
    'tenant: $tenant',
    `observedAt: datetime({epochMillis: toInteger(${own('observedAt')})})`,
    ...['statementId', 'graph', 'certainty', 'provenance'].map((name) => `${name}: ${own(name)}`),
    ...['predicate', 'taskId', 'updateId', 'recordedAt', 'revision'].map((name) => `${name}: said.${name}`),
  ].join(', ');
const revisedProperties = [
  properties((name) => `row.${name}`),
  'sourceAgentId: coalesce(row.sourceAgentId, said.sourceAgentId)',
  ...['sources', 'sourceCertainties', 'sourceDetails'].map((name) => `${name}: row.${name}`),
].join(', ');

/**
 * What the rows of `state` hold, in order: there are thousands, and the names of a map's members would travel with
 * each.
 */
const columns = ['subject', 'said', 'statementId', 'graph', 'certainty', 'provenance', 'observedAt'];
const literalColumns = [...columns, 'value', 'datatype', 'language'];
const linkColumns = [...columns, 'object'];

const place = (all: string[]) => (name: string) => `row[${all.indexOf(name)}]`;
const [literal, link] = [place(literalColumns), place(linkColumns)];
const edge = `[:$(said.relationshipType) {${properties(place(columns))}, sourceAgentId: said.sourceAgentId}]`;

/** Sorted, so that an entity stands in its place on whatever runtime. */
const stateAll = `UNWIND $in.entities AS each
MERGE (e:Entity {tenant: $tenant, id: each[0]})
SET e += each[1], e:$(each[2])
WITH e, each[3] AS place ORDER BY place
WITH collect(e) AS entities
CALL (entities) {
  UNWIND $in.literals AS row
  WITH row, entities[${literal('subject')}] AS s, $in.said[${literal('said')}] AS said
  CREATE (s)-${edge}->
    (:Literal {tenant: $tenant, value: ${literal('value')}, datatype: ${literal('datatype')}, language: ${literal('language')}})
}
CALL (entities) {
  UNWIND $in.links AS row
  WITH row, entities[${link('subject')}] AS s, entities[${link('object')}] AS o, $in.said[${link('said')}] AS said
  CREATE (s)-${edge}->(o)
}`;

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
