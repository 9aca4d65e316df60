import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { freeName, labelOf, propertyOf, quoted, relationshipTypeOf } from './names.ts';

/**
 * Which relationship type stands for which predicate and which label for which class. The `Predicate` and `Class` nodes
 * hold it, so that it survives restarts, is the same on every replica and can be read by analysts; this is their copy
 * in memory. Names are never taken back, so what is known here stays true.
 */
export class Dictionary {
  private readonly types = new Map<string, string>();
  private readonly labels = new Map<string, string>();

  private constructor(private readonly database: Database) {}

  static async load(database: Database): Promise<Dictionary> {
    const dictionary = new Dictionary(database);
    const [constraints] = await Promise.all([constraintsOf(database), dictionary.reload()]);
    await dictionary.constrain([...dictionary.types.values()], constraints);
    return dictionary;
  }

  /** The predicates among these that have no relationship type yet. */
  unknownPredicates(iris: Iterable<string>): string[] {
    return [...new Set(iris)].filter((iri) => !this.types.has(iri));
  }

  /** Gives a relationship type to each predicate and a label to each class that has none. */
  async ensure(predicates: Iterable<string>, classes: Iterable<string>): Promise<void> {
    const newPredicates = this.unknownPredicates(predicates);
    const newClasses = [...new Set(classes)].filter((iri) => !this.labels.has(iri));
    if (newPredicates.length === 0 && newClasses.length === 0) return;
    await this.reload();
    for (const iri of newClasses) await this.allocate(this.labels, iri, labelOf(iri), nameClass);
    for (const iri of newPredicates) await this.allocate(this.types, iri, relationshipTypeOf(iri), namePredicate);
    const types = newPredicates.map((iri) => this.relationshipType(iri));
    await this.constrain(types, await constraintsOf(this.database));
  }

  relationshipType(predicate: string): string {
    const type = this.findRelationshipType(predicate);
    if (type === undefined) throw new Error(`No relationship type for the predicate ${predicate}`);
    return type;
  }

  property(predicate: string): string {
    return propertyOf(this.relationshipType(predicate));
  }

  label(classIri: string): string {
    const label = this.findLabel(classIri);
    if (label === undefined) throw new Error(`No label for the class ${classIri}`);
    return label;
  }

  /** undefined for a predicate that this replica hasn't met yet */
  findRelationshipType(predicate: string): string | undefined {
    return this.types.get(predicate);
  }

  /** undefined for a class that this replica hasn't met yet */
  findLabel(classIri: string): string | undefined {
    return this.labels.get(classIri);
  }

  /** The predicate of each relationship type, as far as this replica has met them. */
  predicatesByType(): ReadonlyMap<string, string> {
    return inverted(this.types);
  }

  /** The class of each label, as far as this replica has met them. */
  classesByLabel(): ReadonlyMap<string, string> {
    return inverted(this.labels);
  }

  /** Learns the names that other replicas have given. */
  async reload(): Promise<void> {
    const { types, labels } = await knownNames(this.database);
    for (const [iri, name] of types) this.types.set(iri, name);
    for (const [iri, name] of labels) this.labels.set(iri, name);
  }

  private async allocate(names: Map<string, string>, iri: string, wanted: string, command: string): Promise<void> {
    for (let attempt = 1; !names.has(iri); attempt++) {
      const taken = new Set(names.values());
      const name = freeName(wanted, (candidate) => taken.has(candidate));
      try {
        const [row] = await this.database.run<Entry>('WRITE', command, { iri, name });
        if (row) names.set(iri, row.name);
      } catch (error) {
        // Another replica has just given the name away, or named this very IRI: look again.
        if (attempt === 5) throw error;
        await this.reload();
      }
    }
  }

  /** One current edge a statement: also the index by which an update finds the statements that it touches. */
  private async constrain(types: string[], existing: Set<string>): Promise<void> {
    for (const type of types) {
      const constraint = `statement_${createHash('sha256').update(type).digest('hex').slice(0, 16)}`;
      if (existing.has(constraint)) continue;
      await this.database.ensure(
        `CREATE CONSTRAINT ${constraint} IF NOT EXISTS FOR ()-[r:${quoted(type)}]-() REQUIRE r.statementId IS UNIQUE`,
      );
    }
  }
}

async function constraintsOf(database: Database): Promise<Set<string>> {
  const found = await database.run<{ name: string }>('READ', 'SHOW CONSTRAINTS YIELD name RETURN name');
  return new Set(found.map(({ name }) => name));
}

const inverted = (names: ReadonlyMap<string, string>) => new Map([...names].map(([iri, name]) => [name, iri]));

interface Entry {
  iri: string;
  name: string;
}

/** What classes and predicates are called in the graph, by IRI; what nothing was said with has no name. */
export interface KnownNames {
  labels: ReadonlyMap<string, string>;
  types: ReadonlyMap<string, string>;
}

/** The names as the graph has them now. It only reads: a `Dictionary` makes constraints where they are missing. */
export async function knownNames(database: Database): Promise<KnownNames> {
  const [types, labels] = await Promise.all([
    database.run<Entry>('READ', 'MATCH (p:Predicate) RETURN p.iri AS iri, p.relationshipType AS name'),
    database.run<Entry>('READ', 'MATCH (c:Class) RETURN c.iri AS iri, c.label AS name'),
  ]);
  const byIri = (rows: Entry[]) => new Map(rows.map(({ iri, name }) => [iri, name]));
  return { types: byIri(types), labels: byIri(labels) };
}

const namePredicate =
  'MERGE (p:Predicate {iri: $iri}) ON CREATE SET p.relationshipType = $name RETURN p.iri AS iri, p.relationshipType AS name';
const nameClass = 'MERGE (c:Class {iri: $iri}) ON CREATE SET c.label = $name RETURN c.iri AS iri, c.label AS name';
