import neo4j from 'neo4j-driver';
import { groupBy } from '../../../../src/base/groupBy.ts';
import type { Database } from '../../../../src/graph/database/database.ts';
import { highestCertainty } from '../../../../src/graph/names/names.ts';
import type { Conditions } from '../../../../src/graph/qualify/qualifier.ts';
import { projectedProperties } from '../../../../src/graph/statements/projection.ts';
import { datatypeOf, type LiteralObject, statementIdOf } from '../../../../src/graph/statements/statement.ts';
import type { CurrentStatement } from '../../../../src/graph/statements/statementReader.ts';
import { dateTime, literalValue } from '../../../../src/graph/statements/values.ts';
import { predicatesOf, type Scalar } from '../../../../src/vocabulary/vocabulary.ts';
import { empty, forgetMigrations } from '../../../support/emptyGraph.ts';
import type { Random } from '../random.ts';
import { rumour, type Terms } from './vocabularies.ts';

/** A statement with its times, in milliseconds; a retracted one is history. */
export interface Edge extends Omit<CurrentStatement, 'voices'> {
  tenant: string;
  recordedAt: number;
  retractedAt?: number;
}

export interface World {
  entities: { tenant: string; id: string; type?: string }[];
  edges: Edge[];
}

export const tenants = ['north', 'south', 'east'];
export const graphs = [undefined, 'urn:g:1', 'urn:g:2', 'urn:g:3', 'urn:g:4'];
const day = 86_400_000;
/** Everything happens in the hundred days from here. */
export const start = Date.UTC(2024, 0, 1);
/** Each day is a revision. */
const revisionOf = (time: number) => (time - start) / day + 1;
const timeOf = (revision: number) => new Date(start + (revision - 1) * day);
export const aDay = (random: Random) => start + random.below(100) * day;

export const values: Record<Scalar, (string | number | boolean)[]> = {
  String: ['Ann', 'Bob', 'Cy', 'Oslo', 'Rome', "O'Hara", 7, 'A😀n', '𝒳\u200be\u0301', 'v1', '" AS a //', '`own`\\\r\n'],
  ID: ['a', 'b', 'c', 'd', true],
  Int: [1, 20, 3.5, 40, 2 ** 31, '20', -5],
  Float: [1, 1.5, 2.25, 'tall'],
  Boolean: [true, false, 'true'],
  Date: ['2001-02-03', '1999-12-31', '2001-02-30', '2001-13-01', 'long ago', 2001],
  DateTime: [
    '2024-01-02T03:04:05Z',
    '2024-01-02T03:04:05.678+02:00',
    '2024-05-06T07:08-0130',
    '2024-01-02',
    '2024-99-02T03:04:05Z',
  ],
};

export const ids = ['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7'];

/** A small graph of three tenants whose entities have the same ids. Most statements are as the vocabulary has them. */
export function randomWorld(random: Random, { vocabulary }: Terms): World {
  const world: World = { entities: [], edges: [] };
  const classes = vocabulary.classes.map(({ iri }) => iri);
  const types = new Map(ids.map((id) => [id, random.pick(classes)]));
  const ofType = (type: string | undefined) => ids.filter((id) => types.get(id) === type);
  const predicates = [...predicatesOf(vocabulary).values()];
  for (const tenant of tenants) {
    for (const [id, type] of types) world.entities.push({ tenant, id, ...(random.chance(0.9) && { type }) });
    const seen = new Set<string>();
    const add = (subject: string, predicate: string, object: LiteralObject | { id: string }) =>
      addEdge(world, random, seen, tenant, subject, predicate, object);
    for (const { iri, field, domains, ranges } of predicates) {
      for (const subject of ids) {
        const isOfDomain = domains.some((each) => each.iri === types.get(subject));
        if (!isOfDomain && random.chance(0.9)) continue;
        const least = field.kind === 'literal' ? 0 : 1;
        for (let count = least + random.below(4); count > 0; count--) {
          // Now and then a literal where the vocabulary has a link, and the other way round.
          const isLiteral = (field.kind === 'literal') !== random.chance(0.04);
          const targets = random.chance(0.9) ? ofType(random.pick(ranges)?.iri) : [];
          if (isLiteral) add(subject, iri, randomLiteral(random, field.kind === 'literal' ? field.scalar : 'String'));
          else add(subject, iri, { id: random.pick(targets.length > 0 ? targets : ids) });
        }
      }
    }
    // Of the same two entities two things were said that no longer hold.
    const [one, other] = [random.pick(ids), random.pick(ids)];
    const links = predicates.filter(({ field }) => field.kind === 'link').map(({ iri }) => iri);
    for (const predicate of [links[0] ?? rumour, rumour])
      addEdge(world, random, seen, tenant, one, predicate, { id: other }, true);
    for (const subject of random.some(ids, 0.4)) {
      if (random.chance(0.5)) add(subject, rumour, randomLiteral(random, 'String'));
      else add(subject, rumour, { id: random.pick(ids) });
    }
  }
  return world;
}

function randomLiteral(random: Random, scalar: Scalar): LiteralObject {
  const value = random.pick(values[scalar]);
  const language = typeof value === 'string' && random.chance(0.3) ? random.pick(['en', 'en-GB', 'de']) : undefined;
  return { value, type: datatypeOf(value), ...(language && { language }) };
}

function addEdge(
  world: World,
  random: Random,
  seen: Set<string>,
  tenant: string,
  subject: string,
  predicate: string,
  object: LiteralObject | { id: string },
  isPast = false,
): void {
  const graph = random.pick(graphs);
  const statement = {
    subject: { id: subject },
    predicate: { id: predicate },
    object,
    ...(graph && { graph }),
  };
  const id = statementIdOf(tenant, statement);
  if (seen.has(id)) return;
  seen.add(id);
  // What held before, and perhaps what holds now.
  const times = [aDay(random), aDay(random), aDay(random)].sort((one, other) => one - other);
  const version = (recordedAt: number, retractedAt?: number) => {
    const certainty = random.pick([undefined, 0, 0.25, 0.5, 0.75, 1]);
    world.edges.push({
      tenant,
      id,
      statement: { ...statement, ...(certainty !== undefined && { certainty }) },
      observedAt: aDay(random),
      recordedAt,
      ...(retractedAt !== undefined && { retractedAt }),
    });
  };
  const [first = start, second = start, third = start] = times;
  if (isPast) {
    version(first, third === first ? first + day : third);
    return;
  }
  if (random.chance(0.3) && first < second) version(first, second);
  if (random.chance(0.8)) version(second);
  else if (second < third) version(second, third);
}

/** What meets the conditions, as current statements; with the entities that then exist. */
export function qualifying(world: World, conditions: Conditions): World {
  const { tenant, graphs: visible, requiredCertainty, observedSince, asOfRevision, closed } = conditions;
  const asOf = asOfRevision === undefined ? conditions.asOf : timeOf(asOfRevision);
  const isClosed = ({ type }: { type?: string }) => type !== undefined && closed?.classes.has(type) === true;
  const hidden = new Set(world.entities.filter((each) => each.tenant === tenant && isClosed(each)).map(({ id }) => id));
  const edges = world.edges.filter(({ statement, observedAt, recordedAt, retractedAt, ...edge }) => {
    if (edge.tenant !== tenant) return false;
    if (asOf === undefined ? retractedAt !== undefined : recordedAt > asOf.getTime()) return false;
    if (asOf !== undefined && retractedAt !== undefined && retractedAt <= asOf.getTime()) return false;
    if (requiredCertainty !== undefined && (statement.certainty ?? 1) < requiredCertainty) return false;
    if (observedSince !== undefined && observedAt < observedSince.getTime()) return false;
    const { subject, predicate, object } = statement;
    if (closed?.predicates.has(predicate.id) || hidden.has(subject.id)) return false;
    if ('id' in object && hidden.has(object.id)) return false;
    return !visible || (statement.graph === undefined ? visible.default : visible.named.includes(statement.graph));
  });
  const limited = visible || requiredCertainty || observedSince || asOf || closed;
  const present = new Set(
    edges.flatMap(({ statement: { subject, object } }) => ['id' in object ? object.id : '', subject.id]),
  );
  return {
    entities: world.entities.filter((each) => each.tenant === tenant && (!limited || present.has(each.id))),
    edges: edges.map(({ retractedAt: _, ...edge }) => edge),
  };
}

/**
 * Puts a world in the place of what the database holds.
 * @param withOthers whether there is beside it what no query may see
 */
export async function load(database: Database, world: World, terms: Terms, withOthers: boolean): Promise<void> {
  const current = groupBy(
    world.edges.filter(({ retractedAt }) => retractedAt === undefined),
    ({ tenant, statement }) => `${tenant} ${statement.subject.id} ${statement.predicate.id}`,
  );
  const certainties = new Map<string, number[]>();
  for (const { tenant, statement, retractedAt } of world.edges) {
    if (retractedAt !== undefined) continue;
    const { subject, object, certainty = 1 } = statement;
    for (const id of 'id' in object ? [subject.id, object.id] : [subject.id]) {
      const key = `${tenant} ${id}`;
      certainties.set(key, [...(certainties.get(key) ?? []), certainty]);
    }
  }
  const nodes: { labels: string[]; properties: Record<string, unknown> }[] = [];
  const places = new Map<string, number>();
  for (const { tenant, id, type } of world.entities) {
    const projected = [...terms.literals].map(([predicate, field]) =>
      projectedProperties(terms.names.property(predicate), field, current.get(`${tenant} ${id} ${predicate}`) ?? []),
    );
    const highest = Math.max(0, ...(certainties.get(`${tenant} ${id}`) ?? []));
    places.set(`${tenant} ${id}`, nodes.length);
    nodes.push({
      labels: ['Entity', ...(type === undefined ? [] : [terms.names.label(type)])],
      properties: {
        ...Object.assign({}, ...projected),
        [highestCertainty]: highest < 1 ? highest : null,
        tenant,
        id,
        type: type ?? null,
      },
    });
  }
  // All versions of a literal statement share one Literal.
  for (const { tenant, id, statement } of world.edges) {
    const { object } = statement;
    if (!('value' in object) || places.has(id)) continue;
    places.set(id, nodes.length);
    const { type: datatype, language = null } = object;
    nodes.push({
      labels: ['Literal'],
      properties: { tenant, value: literalValue(object), datatype, language },
    });
  }
  const edges = world.edges.map((edge) => {
    const { tenant, id, statement } = edge;
    const object = 'id' in statement.object ? `${tenant} ${statement.object.id}` : id;
    const type = terms.names.relationshipType(statement.predicate.id);
    return {
      from: neo4j.int(places.get(`${tenant} ${statement.subject.id}`) ?? -1),
      to: neo4j.int(places.get(object) ?? -1),
      type: edge.retractedAt === undefined ? type : 'PAST',
      properties: propertiesOf(edge, type),
    };
  });
  const all = withOthers ? [...edges, ...handMade(world, terms, places)] : edges;
  await empty(database);
  // A query without conditions finds them, and is what the others are compared with.
  await forgetMigrations(database);
  await database.write(async (tx) => {
    await Promise.all([tx.run(creation, { nodes, edges: all }), ...(withOthers ? [tx.run(others, { tenants })] : [])]);
  }, 60_000);
}

/**
 * Edges that somebody has made by hand, which no query may see: without a statement, within a tenant and between two,
 * and copies of statements whose object is another tenant's.
 */
function handMade({ edges }: World, { names }: Terms, places: ReadonlyMap<string, number>) {
  const literals = edges.filter(({ statement, retractedAt }) => 'value' in statement.object && !retractedAt);
  const place = (key: string) => neo4j.int(places.get(key) ?? -1);
  return edges.flatMap((edge, index) => {
    const { tenant, id, statement, retractedAt } = edge;
    const { subject, predicate, object } = statement;
    const other = tenants[(tenants.indexOf(tenant) + 1) % tenants.length] ?? tenant;
    const type = names.relationshipType(predicate.id);
    const from = place(`${tenant} ${subject.id}`);
    if ('id' in object && index % 5 === 0)
      return [{ from, to: place(`${index % 2 ? other : tenant} ${object.id}`), type, properties: {} }];
    const isAlike = (each: Edge) => each.tenant === other && each.statement.predicate.id === predicate.id;
    const foreign = 'id' in object ? `${other} ${object.id}` : literals.find(isAlike)?.id;
    // A world may have no such node: a place behind the first is Cypher's last.
    if (index % 4 > 0 || foreign === undefined || !places.has(foreign)) return [];
    const properties = { ...propertiesOf(edge, type), statementId: `hand ${id}` };
    return [{ from, to: place(foreign), type: retractedAt === undefined ? type : 'PAST', properties }];
  });
}

/** One text for all worlds, so that it is planned once. */
const creation = `UNWIND $nodes AS node CREATE (n:$(node.labels)) SET n = node.properties
  WITH collect(n) AS all UNWIND $edges AS edge
  WITH edge, all[edge.from] AS subject, all[edge.to] AS object
  CREATE (subject)-[r:$(edge.type)]->(object) SET r = edge.properties`;

/** Concord's own nodes, which no query may see. */
const others = `UNWIND $tenants AS tenant
  CREATE (:Ledger {tenant: tenant, revision: 3}), (:Class {iri: 'urn:c:' + tenant, label: 'C' + tenant}), (:Predicate {iri: 'urn:p:' + tenant, relationshipType: 'P' + tenant}),
    (:Agent {tenant: tenant, id: 'p1', name: 'Ann'})-[:PROPOSED]->(:Update {tenant: tenant, id: 'u' + tenant, name: 'Bob'})
    -[:CONTAINS]->(:Change {tenant: tenant, sequence: 1, statement: '{}'})`;

function propertiesOf({ tenant, id, statement, observedAt, recordedAt, retractedAt }: Edge, type: string) {
  const { predicate, graph, certainty } = statement;
  return {
    statementId: id,
    tenant,
    predicate: predicate.id,
    graph: graph ?? null,
    certainty: certainty ?? null,
    sourceAgentId: 'agent',
    updateId: 'update',
    observedAt: dateTime(observedAt),
    recordedAt: dateTime(recordedAt),
    revision: neo4j.int(revisionOf(recordedAt)),
    ...(retractedAt !== undefined && {
      relationshipType: type,
      retractedAt: dateTime(retractedAt),
      retractedBy: 'agent',
      retractedIn: 'later',
      retractedRevision: neo4j.int(revisionOf(retractedAt)),
    }),
  };
}
