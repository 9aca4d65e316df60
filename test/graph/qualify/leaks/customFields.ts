import type { ClassDefinition } from '../../../../src/vocabulary/vocabulary.ts';
import type { Random } from '../random.ts';
import { randomCypherFrom } from './cypherQuery.ts';
import type { Terms } from './vocabularies.ts';

/** SDL with `@cypher` fields of every class and of the root: a vocabulary has none of its own, but the schema may. */
export function customFields(random: Random, terms: Terms): string {
  const { classes } = terms.vocabulary;
  const target = random.pick(classes);
  const types = classes.map(
    (each) => `extend type ${each.name} {\n${fieldsOf(random, terms, random.pick(classes))}\n}`,
  );
  return `${types.join('\n')}
extend type Entity {\n${fieldsOf(random, terms, target)}\n}
type Query {
  myTotal: Int ${cypher(`MATCH (o:${label(terms, target)}) RETURN count(o) AS r`)}
  myTop(limit: Int! = 2, text: String): [${target.name}!]! ${cypher(`MATCH (o:${label(terms, target)})
    WHERE $text IS NULL OR o.${property(random, terms)} = $text OR (o)--(:Entity {id: $text})
    RETURN o AS r ORDER BY o.id LIMIT toInteger($limit)`)}
  myRows: [JSON!]! ${cypher(`MATCH (n:Entity)-[e]->(o) WITH type(e) AS type, count(DISTINCT o) AS found
    RETURN {type: type, found: found} AS r ORDER BY type`)}
}`;
}

function fieldsOf(random: Random, terms: Terms, target: ClassDefinition): string {
  const [one, other] = [random.pick(terms.types), random.pick(terms.types)];
  const of = label(terms, target);
  const [first, second] = [property(random, terms), property(random, terms)];
  return [
    `myText: String ${cypher('RETURN this.id + "!" AS r')}`,
    `myCount(min: Float! = 0, type: String): Int! ${cypher(`MATCH (this)-[e]->(o)
      WHERE coalesce(e.certainty, 1.0) >= $min AND ($type IS NULL OR o.type = $type) RETURN count(o) AS r`)}`,
    `myIds: [String!]! ${cypher(`MATCH (this)-[:${one}|${other}]-(o:Entity) RETURN DISTINCT o.id AS r ORDER BY r`)}`,
    `myBest: ${target.name} ${cypher(`MATCH (this)-[e]-(o:${of}) RETURN o AS r
      ORDER BY coalesce(e.certainty, 1.0) DESC, e.statementId, o.id LIMIT 1`)}`,
    `myMany(first: Int! = 2): [${target.name}!]! ${cypher(`MATCH (this)-[:${one}]-(o:${of})
      WITH DISTINCT o ORDER BY o.id LIMIT toInteger($first) RETURN o AS r`)}`,
    `myFar: [${target.name}!]! ${cypher(`MATCH (this)--(m:Entity)-[:${other}]-(o:${of}) WHERE m.${first} IS NOT NULL OR o.${second} IS NOT NULL
      RETURN DISTINCT o AS r`)}`,
    `myMap: JSON ${cypher(`RETURN this {.id, .${first}, near: COLLECT { MATCH (this)-[:${one}]->(o) WHERE o.id IS NOT NULL RETURN o.id AS i ORDER BY i },
      said: COUNT { (this)-->(l:Literal) WHERE l.value IS NOT NULL }} AS r`)}`,
    `mySum: Float ${cypher(`MATCH (this)-[e]-() RETURN sum(e.certainty) AS r`)}`,
    `myOwn: JSON ${cypher(randomCypherFrom(random, terms, 'this', 'r'))}`,
  ].join('\n');
}

const cypher = (statement: string) => `@cypher(columnName: "r", statement: """${statement}""")`;

const label = (terms: Terms, { iri }: ClassDefinition) => `\`${terms.names.label(iri)}\``;

const property = (random: Random, { properties }: Terms) => random.pick(properties).text;
