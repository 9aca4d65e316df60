import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import { getOrInsert } from '../../base/getOrInsert.ts';
import type { ClassDefinition } from '../../vocabulary/vocabulary.ts';
import type { About } from '../answering/asker.ts';

/** Characters of the schema that a model is shown. */
export const longestSchema = 16_000;
/** Characters of what is said of one field or class. */
const longestDescription = 200;
/** Fields that every entity has, whichever its class. */
const common = new Set(['id', 'type']);

/** How much a class or a field is what a question is about. */
interface Scores {
  classes: Map<string, number>;
  /** By class and name. */
  fields: Map<string, number>;
}

/**
 * What of the schema a question is about, for a model that makes a query of it: whole classes where all fit, else those
 * whose words stand in the question, with what they link to, the likest first. A class that is too long itself keeps the
 * fields that are meant.
 * @param most characters
 */
export function schemaPart(schema: GraphQLSchema, about: About, most = longestSchema): string {
  const scores = scoresOf(about);
  const { classes } = about.lexicon.vocabulary;
  const meant = classes
    .filter((each) => scoreOf(scores, each) > 0)
    .toSorted((one, other) => scoreOf(scores, other) - scoreOf(scores, one));
  const rest = classes.filter((each) => scoreOf(scores, each) === 0);
  const links = meant.flatMap(({ fields }) => fields.filter(({ kind }) => kind !== 'literal'));
  const linked = new Set(links.flatMap((field) => (field.kind === 'literal' ? [] : [field.target])));
  const inOrder = [
    ...meant,
    ...rest.filter(({ name }) => linked.has(name)),
    ...rest.filter(({ name }) => !linked.has(name)),
  ];
  const parts: string[] = [];
  let left = most;
  for (const each of inOrder) {
    const text = classText(schema, each, scores, left);
    if (text === undefined) continue;
    parts.push(text);
    left -= text.length + 2;
  }
  return parts.join('\n\n');
}

const scoreOf = ({ classes }: Scores, { name }: ClassDefinition) => classes.get(name) ?? 0;

function scoresOf({ tokens, lexicon, values }: About): Scores {
  const classes = new Map<string, number>();
  const fields = new Map<string, number>();
  const add = (name: string, score: number) => classes.set(name, getOrInsert(classes, name, () => 0) + score);
  tokens.forEach((_, at) => {
    const terms = lexicon.termsAt(tokens, at);
    for (const { term, cost } of terms) {
      // A word that many classes have says little of each.
      const score = Math.max(0.1, 1 - cost) / Math.sqrt(terms.length);
      add(term.class, term.kind === 'class' ? 3 * score : score);
      if (term.kind === 'field') fields.set(`${term.class} ${term.field.name}`, score);
    }
  });
  for (const { value, cost } of values) add(value.class, Math.max(0.1, 1 - cost));
  return { classes, fields };
}

/** A class within so many characters; undefined where not even what is meant of it fits. */
function classText(
  schema: GraphQLSchema,
  definition: ClassDefinition,
  scores: Scores,
  most: number,
): string | undefined {
  const { name, description, iri } = definition;
  const type = schema.getType(name);
  if (!isObjectType(type)) return undefined;
  const head = `type ${name} { # ${short(description === undefined ? iri : `${description} ${iri}`)}`;
  const roots = rootsOf(schema, name);
  const shown = fieldsOf(type, definition);
  const meant = (field: string) => scores.fields.get(`${name} ${field}`) ?? (common.has(field) ? 0.05 : 0);
  const inOrder = shown.toSorted((one, other) => meant(other.name) - meant(one.name)).map(fieldText);
  const lines: string[] = [];
  let left = most - head.length - roots.length - 4;
  for (const line of inOrder) {
    if (line.length + 1 > left) break;
    lines.push(line);
    left -= line.length + 1;
  }
  const isEnough = lines.length === inOrder.length || (scoreOf(scores, definition) > 0 && lines.length > 2);
  return isEnough ? [roots, head, ...lines, '}'].join('\n') : undefined;
}

/** The fields of a class that are open, and how many links there are of each list. */
function fieldsOf(type: GraphQLObjectType, { fields }: ClassDefinition): GraphQLField<unknown, unknown>[] {
  const all = type.getFields();
  const names = fields.flatMap(({ name }) => [name, `${name}Count`]);
  return [...common, ...names].flatMap((name) => all[name] ?? []);
}

/** The root fields of a class: its list, its connection and its groups. */
function rootsOf(schema: GraphQLSchema, name: string): string {
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ args }) =>
    args.some(({ name: argument, type }) => argument === 'where' && getNamedType(type).name === `${name}Where`),
  );
  return `Query: ${roots.map(({ name: root }) => root).join(', ')}`;
}

function fieldText({ name, args, type, description }: GraphQLField<unknown, unknown>): string {
  const given = args.map((each) => `${each.name}: ${each.type}`).join(', ');
  const about = description ? ` # ${short(description)}` : '';
  return `  ${name}${given === '' ? '' : `(${given})`}: ${type}${about}`;
}

const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, longestDescription);
