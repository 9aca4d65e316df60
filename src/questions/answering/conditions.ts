import type { ClassDefinition, Field, LiteralField } from '../../vocabulary/vocabulary.ts';
import type { Lexicon } from '../lexicon.ts';
import type { Comparison, Condition } from '../query.ts';

type Where = Record<string, unknown>;

/** The greatest and least that an `Int` of GraphQL takes. */
const [leastInt, greatestInt] = [-2_147_483_648, 2_147_483_647];

/** A condition as the schema's filters of a class have it. Comparisons with an entity must have been looked up. */
export function whereOf(condition: Condition, definition: ClassDefinition, lexicon: Pick<Lexicon, 'classOf'>): Where {
  const inner = (each: Condition) => whereOf(each, definition, lexicon);
  switch (condition.kind) {
    case 'is':
      return { id: { in: condition.ids } };
    case 'compare':
      return comparison(fieldOf(definition, condition.field), condition.op, condition.value);
    case 'known':
      return known(fieldOf(definition, condition.field));
    case 'link': {
      const field = fieldOf(definition, condition.field);
      if (field.kind === 'literal') throw new Error(`${field.name} is no link`);
      const of = whereOf(condition.of, lexicon.classOf(field.target), lexicon);
      return { [field.name]: isList(field) ? { some: of } : of };
    }
    case 'count':
      if (typeof condition.value === 'object') throw new Error('What it is compared with was not looked up');
      return { [`${condition.field}Count`]: { [condition.op]: wholeOf(condition.op, condition.value) } };
    case 'not':
      return { NOT: inner(condition.of) };
    default:
      return { [condition.kind.toUpperCase()]: condition.of.map(inner) };
  }
}

export function fieldOf({ name, fields }: ClassDefinition, wanted: string): Field {
  const found = fields.find((field) => field.name === wanted);
  if (!found) throw new Error(`The class ${name} has no field "${wanted}"`);
  return found;
}

export function isList(field: Field): boolean {
  return field.kind === 'inverse' || field.list;
}

function known(field: Field): Where {
  if (field.kind === 'literal') return { NOT: { [field.name]: { eq: null } } };
  // An empty condition says nothing to @neo4j/graphql; every id begins so.
  return isList(field) ? { [field.name]: { some: { id: { startsWith: '' } } } } : { NOT: { [field.name]: null } };
}

function comparison(field: Field, op: Comparison, value: unknown): Where {
  if (field.kind !== 'literal') throw new Error(`${field.name} is no literal`);
  if (field.list) return { [field.name]: { includes: value } };
  if (op.endsWith('With') || op === 'contains') return { [field.name]: { caseInsensitive: { [op]: value } } };
  return { [field.name]: { [op]: asScalar(field, op, value) } };
}

function asScalar({ scalar }: LiteralField, op: Comparison, value: unknown): unknown {
  return scalar === 'Int' && typeof value === 'number' ? wholeOf(op, value) : value;
}

/** A bound that an `Int` takes and that leaves out and lets in the same; what is equal to a fraction is nothing. */
function wholeOf(op: Comparison, value: number): number {
  const whole =
    op === 'gt' || op === 'lte' ? Math.floor(value) : op === 'lt' || op === 'gte' ? Math.ceil(value) : value;
  return Math.min(greatestInt, Math.max(leastInt, Number.isInteger(whole) ? whole : leastInt));
}
