import neo4j from 'neo4j-driver';
import { fixedPlan, type Queryable } from '../database/queryable.ts';
import { highestCertainty } from '../names/names.ts';

/** What labels stand for. */
export interface ClassLabel {
  label: string;
  iri: string;
}

/**
 * Puts back what a tenant's edits up to a number have changed by hand, inside a transaction that holds its ledger. What
 * is left of them are entities: one that somebody made stays, in the form that Concord's own have.
 *
 * An element that several edits have changed is put back to what it was before the first: later ones are marked, so
 * that a later transaction leaves it alone. All of it happens inside of Neo4j, so that values keep their types.
 */
export class EditRestorer {
  private readonly parameters: Record<string, unknown>;

  /** @param classes of all labels that entities can have */
  constructor(
    private readonly tx: Queryable,
    tenant: string,
    last: number,
    classes: ClassLabel[],
  ) {
    this.parameters = { tenant, last: neo4j.int(last), classes };
  }

  async restore(): Promise<void> {
    for (const step of steps) await this.run(step);
  }

  /** Removes the edits, for they are statements now. @returns how many there were */
  async finish(): Promise<number> {
    await this.run(removeLooseLiterals);
    await this.run(`${edits('e', 'e.number <= $last')}
      WITH e.element AS element MATCH (later:DirectEdit {element: element}) USING INDEX SEEK later:DirectEdit(element)
      WHERE later.number > $last SET later.isLater = true`);
    const { records } = await this.tx.run<{ removed: number }>(
      `${fixedPlan} ${edits('e', 'e.number <= $last')}
       OPTIONAL MATCH (e)-[:EDIT_BEFORE|EDIT_AFTER]->(state)
       WITH collect(DISTINCT e) AS edits, collect(state) AS states
       FOREACH (state IN states | DETACH DELETE state)
       FOREACH (e IN edits | DETACH DELETE e)
       WITH edits
       MATCH (l:Ledger {tenant: $tenant}) USING INDEX SEEK l:Ledger(tenant)
       SET l.editsTaken = coalesce(l.editsTaken, 0) + size(edits)
       RETURN size(edits) AS removed`,
      this.parameters,
    );
    return records[0]?.get('removed') ?? 0;
  }

  private async run(query: string): Promise<void> {
    await this.tx.run(`${fixedPlan} ${query}`, this.parameters);
  }
}

function edits(name: string, condition: string): string {
  return `MATCH (${name}:DirectEdit {tenant: $tenant}) USING INDEX SEEK ${name}:DirectEdit(tenant, number) WHERE ${name}.number > 0 AND ${condition}`;
}

/** The first edit of each element, of those that are to be put back. */
const firsts = (kind: string, condition: string, carried = '') =>
  `${edits('e', `e.number <= $last AND e.kind = '${kind}' AND e.isLater IS NULL`)}
   WITH ${carried} e ORDER BY e.number WITH ${carried} e.element AS element, collect(e)[0] AS e WHERE ${condition}`;

/** Nodes that are gone, also those that only a later edit has deleted: what they were joined by may be put back now. */
const bringBackNodes = `
  ${edits('e', `e.kind = 'node' AND e.op = 'deleted' AND e.isBack IS NULL`)}
    AND ('Entity' IN e.labelsBefore OR 'Literal' IN e.labelsBefore)
    AND e.isLater IS NULL AND NOT EXISTS { (:DirectEdit {element: e.element, op: 'created'}) }
  MATCH (e)-[:EDIT_BEFORE]->(b)
  CALL (e, b) {
    WITH e, b WHERE 'Entity' IN e.labelsBefore AND b.id IS NOT NULL AND b.tenant = $tenant
    MERGE (n:Entity {tenant: $tenant, id: b.id})
    ON CREATE SET n += properties(b), n:$(e.labelsBefore)
    RETURN n
    UNION
    WITH e, b WHERE 'Literal' IN e.labelsBefore AND b.tenant = $tenant
    CREATE (n:Literal) SET n = properties(b)
    RETURN n
  }
  SET e.isBack = true
  WITH e.element AS was, elementId(n) AS element
  CALL (was, element) {
    MATCH (other:DirectEdit {start: was}) USING INDEX SEEK other:DirectEdit(start) SET other.start = element
  }
  CALL (was, element) {
    MATCH (other:DirectEdit {end: was}) USING INDEX SEEK other:DirectEdit(end) SET other.end = element
  }`;

/** Concord itself may have stated again what was removed by hand, where the edit was seen late. */
const isNotStatedAgain = `(e.isSeenLate IS NULL
    OR NOT EXISTS { (s)-[again]->() WHERE type(again) = e.type AND again.statementId = b.statementId })`;

/** What of a node is Concord's: labels that classes have, and what it keeps on every entity and literal. */
const restoreNodes = `
  MATCH (p:Predicate) WHERE p.property IS NOT NULL
  WITH collect(p.property) AS fields
  ${firsts('node', "e.op = 'changed'", 'fields,')}
  MATCH (e)-[:EDIT_BEFORE]->(b) MATCH (n) WHERE elementId(n) = element
  WITH fields, e, b, n, [c IN $classes | c.label] + ['Entity', 'Literal'] AS own
  WITH *, [l IN labels(n) WHERE l IN own AND NOT l IN e.labelsBefore] AS gained,
    [l IN e.labelsBefore WHERE l IN own AND NOT l IN labels(n)] AS lost
  REMOVE n:$(gained)
  SET n:$(lost)
  WITH n, b, fields, coalesce(e.kept, []) AS kept
  UNWIND keys(b) + keys(n) AS key
  WITH DISTINCT n, b, fields, kept, key
  WHERE (key IN fields OR key IN ['id', 'tenant', 'type', 'value', 'datatype', 'language'] OR key ENDS WITH '__certainty')
    AND NOT key IN kept
  SET n[key] = b[key]`;

// As with nodes that were made: by OPTIONAL MATCH each is looked up.
const removeMadeRelationships = `
  ${edits('e', "e.number <= $last AND e.kind = 'relationship' AND e.op = 'created'")}
  OPTIONAL MATCH ()-[r]->() WHERE elementId(r) = e.element
  DELETE r`;

const restoreRelationships = `
  ${firsts('relationship', "e.op = 'changed'")}
  MATCH (e)-[:EDIT_BEFORE]->(b)
  OPTIONAL MATCH ()-[there]->() WHERE elementId(there) = e.element
  CALL (e, b, there) {
    WITH e, b, there
    FOREACH (r IN [x IN [there] WHERE x IS NOT NULL] | SET r = properties(b))
    WITH e, b, there WHERE there IS NULL AND b.statementId IS NOT NULL
    MATCH (s) WHERE elementId(s) = e.start
    MATCH (o) WHERE elementId(o) = e.end AND ${isNotStatedAgain}
    CREATE (s)-[r:$(e.type)]->(o) SET r = properties(b)
  }`;

const bringBackRelationships = `
  ${firsts('relationship', "e.op = 'deleted'")}
  MATCH (e)-[:EDIT_BEFORE]->(b) WHERE b.statementId IS NOT NULL
  MATCH (s) WHERE elementId(s) = e.start
  MATCH (o) WHERE elementId(o) = e.end AND ${isNotStatedAgain}
  CREATE (s)-[r:$(e.type)]->(o) SET r = properties(b)`;

/**
 * It asks by OPTIONAL MATCH, for so Neo4j looks a node up by its id. In one MATCH with the edits it would go through all
 * nodes for each of them.
 */
const madeNodes = (condition: string, ...carried: string[]) => `
  ${edits('e', "e.number <= $last AND e.kind = 'node' AND e.op = 'created'")}
  OPTIONAL MATCH (n) WHERE elementId(n) = e.element
  WITH ${['e', 'n', ...carried].join(', ')} WHERE n IS NOT NULL AND ${condition}`;

/** When what they say has been read. */
const removeLooseLiterals = `${madeNodes("'Literal' IN labels(n) AND NOT EXISTS { (n)--() }")} DELETE n`;

/** Of an entity that is there already, the new node only says something: that goes into the statements. */
const joinTwins = `${madeNodes("NOT 'Literal' IN labels(n)")}
  MATCH (same:Entity {tenant: $tenant, id: n.id}) USING INDEX SEEK same:Entity(tenant, id) WHERE same <> n
  WITH e, n, elementId(n) AS was, elementId(same) AS element
  CALL (was, element) {
    MATCH (other:DirectEdit {start: was}) USING INDEX SEEK other:DirectEdit(start) SET other.start = element
  }
  CALL (was, element) {
    MATCH (other:DirectEdit {end: was}) USING INDEX SEEK other:DirectEdit(end) SET other.end = element
  }
  DETACH DELETE n`;

const shapeMadeNodes = `
  MATCH (p:Predicate) WHERE p.property IS NOT NULL
  WITH collect(p.property) AS fields
  ${madeNodes("NOT 'Literal' IN labels(n) AND n.id IS :: STRING NOT NULL AND n.id <> ''", 'fields')}
  WITH n, fields, [c IN $classes WHERE c.label IN labels(n)] AS said, [c IN $classes WHERE c.iri = n.type] AS typed
  WITH n, fields, said, coalesce(said[0], typed[0]) AS class
  REMOVE n:$([c IN said[1..] | c.label])
  SET n:Entity, n.tenant = $tenant, n.${highestCertainty} = 0, n.type = class.iri,
    n:$([c IN [class] WHERE c IS NOT NULL | c.label])
  FOREACH (key IN [k IN keys(n) WHERE k IN fields] | SET n[key] = null)`;

const steps = [
  bringBackNodes,
  restoreNodes,
  removeMadeRelationships,
  restoreRelationships,
  bringBackRelationships,
  joinTwins,
  shapeMadeNodes,
];
