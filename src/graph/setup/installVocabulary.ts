import neo4j from 'neo4j-driver';
import { counted } from '../../base/counted.ts';
import { groupBy } from '../../base/groupBy.ts';
import { type LiteralField, predicatesOf, textPredicates, type Vocabulary } from '../../vocabulary/vocabulary.ts';
import type { Database } from '../database/database.ts';
import type { Dictionary } from '../names/dictionary.ts';
import { quoted } from '../names/names.ts';
import { installTextIndex } from '../search/textIndex.ts';
import { projectedProperties } from '../statements/projection.ts';
import { StatementTransactor } from '../statements/statementTransactor.ts';

/**
 * Makes the vocabulary known to the graph: names for its classes and predicates, `Predicate` nodes that the alignment
 * rules read, indexes, and, where a literal field is new or changed, the projection of the statements that are there
 * already.
 * @param report told about the projections, which can take a while on a large graph
 */
export async function installVocabulary(
  database: Database,
  dictionary: Dictionary,
  vocabulary: Vocabulary,
  report: (line: string) => void,
): Promise<void> {
  const predicates = [...predicatesOf(vocabulary).values()];
  await dictionary.ensure(
    predicates.map(({ iri }) => iri),
    vocabulary.classes.map(({ iri }) => iri),
  );
  const [projections, indexes] = await Promise.all([storedProjections(database), existingIndexes(database)]);
  const index = async (name: string, on: string) => {
    // Neo4j takes longer to find out that there is nothing to do.
    if (!indexes.has(name)) await database.ensure(`CREATE INDEX ${quoted(name)} IF NOT EXISTS FOR ${on}`);
  };

  for (const { iri, field, domains } of predicates) {
    if (field.kind !== 'literal') continue;
    if (projections.get(iri) !== projectionKey(field)) {
      await reproject(database, dictionary, iri, field, (done) =>
        report(`Projecting ${field.name}: ${counted(done, 'entity', 'entities')}`),
      );
    }
    if (!field.indexed) continue;
    const property = dictionary.property(iri);
    for (const { iri: classIri } of domains) {
      const label = dictionary.label(classIri);
      await index(`field_${label}_${property}`, `(n:${quoted(label)}) ON (n.tenant, n.${quoted(property)})`);
    }
  }
  await installTextIndex(
    database,
    textPredicates(vocabulary).map((iri) => dictionary.property(iri)),
  );
  // A class is scanned within the tenant.
  for (const { iri } of vocabulary.classes) {
    const label = dictionary.label(iri);
    await index(`class_${label}`, `(n:${quoted(label)}) ON (n.tenant)`);
  }
  // Last: what is recorded here as projected has been.
  const forgotten = database.run(
    'WRITE',
    `MATCH (p:Predicate) WHERE p.fields IS NOT NULL AND NOT p.iri IN [row IN $rows | row.iri]
     SET p += {fields: null, scalar: null, ranges: null, functional: null, indexed: null, projection: null, property: null}`,
    { rows: predicates.map(({ iri }) => ({ iri })) },
  );
  const recorded = database.run('WRITE', `${eachPredicate} SET p += row.properties`, {
    rows: predicates.map(({ iri, field, domains, ranges }) => ({
      iri,
      properties: {
        fields: domains.map(({ name }) => `${name}.${field.name}`),
        functional: field.functional,
        scalar: field.kind === 'literal' ? field.scalar : null,
        indexed: field.kind === 'literal' ? field.indexed : null,
        projection: field.kind === 'literal' ? projectionKey(field) : null,
        property: field.kind === 'literal' ? dictionary.property(iri) : null,
        ranges: field.kind === 'link' ? ranges.map((range) => range.iri) : null,
      },
    })),
  });
  const standing = database.run('READ', 'CALL db.awaitIndexes(300)');
  await Promise.all([forgotten, recorded, standing]);
}

const eachPredicate = 'UNWIND $rows AS row MATCH (p:Predicate {iri: row.iri})';

async function storedProjections(database: Database): Promise<Map<string, string | null>> {
  const stored = await database.run<{ iri: string; projection: string | null }>(
    'READ',
    'MATCH (p:Predicate) WHERE p.projection IS NOT NULL RETURN p.iri AS iri, p.projection AS projection',
  );
  return new Map(stored.map(({ iri, projection }) => [iri, projection]));
}

/** Their names. */
async function existingIndexes(database: Database): Promise<Set<string>> {
  const found = await database.run<{ name: string }>('READ', 'SHOW INDEXES YIELD name RETURN name');
  return new Set(found.map(({ name }) => name));
}

/** How a field is projected; what is stored differently is projected anew. */
function projectionKey({ scalar, list }: LiteralField): string {
  return list ? `[${scalar}]` : `${scalar} with certainty`;
}

const page = 1_000;

/** Projects a predicate for every entity that has statements with it, a page of entities a transaction. */
async function reproject(
  database: Database,
  dictionary: Dictionary,
  predicate: string,
  field: LiteralField,
  progress: (done: number) => void,
): Promise<void> {
  const type = quoted(dictionary.relationshipType(predicate));
  const property = dictionary.property(predicate);
  let after = '';
  for (let done = 0; ; ) {
    const keys = await database.run<{ tenant: string; id: string; elementId: string }>(
      'READ',
      `MATCH (s:Entity)-[:${type}]->() WITH DISTINCT s WHERE elementId(s) > $after
       RETURN s.tenant AS tenant, s.id AS id, elementId(s) AS elementId ORDER BY elementId LIMIT $page`,
      { after, page: neo4j.int(page) },
    );
    if (keys.length === 0) return;
    for (const [tenant, group] of groupBy(keys, (key) => key.tenant)) {
      const ids = group.map(({ id }) => id);
      await database.write(async (tx) => {
        const graph = new StatementTransactor(tx, tenant, dictionary);
        const bySubject = groupBy(await graph.bySubject(predicate, ids), ({ statement }) => statement.subject.id);
        await graph.project(
          ids.map((id) => ({
            id,
            properties: projectedProperties(property, field, bySubject.get(id) ?? []),
          })),
        );
      }, 60_000);
    }
    done += keys.length;
    if (done > page) progress(done);
    after = keys.at(-1)?.elementId ?? after;
  }
}
