import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  extendSchema,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  parse,
} from 'graphql';
import { refuse } from '../base/reasons.ts';
import { quoted } from '../graph/names/names.ts';
import type { ReadTransaction } from '../graph/reading/readTransaction.ts';
import { hasMatching, matchingOf, matchingQuery } from '../graph/search/matching.ts';
import type { Names } from '../vocabulary/names.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';

type Resolver = GraphQLFieldResolver<
  unknown,
  { executionContext: Pick<ReadTransaction, 'choose' | 'indexed'> },
  Record<string, unknown>
>;

/** A class whose texts can be searched. */
interface Searched {
  type: string;
  label: string;
  /** The properties of its text fields, by field. */
  properties: ReadonlyMap<string, string>;
}

/** Characters that are compared before others have their turn. */
const atOnce = 64 * 1024;

const description =
  'Full-text conditions: all of the words, also where one begins with them or differs by a letter; "phrases" in quotation marks';

/**
 * Gives what a class is asked for by at the root, its list, its connection and its groups, the argument `matching`: full
 * text of its fields. It becomes a condition by ids. The full-text index says which entities to look at, and what the
 * caller sees of them decides.
 */
export function withMatching(schema: GraphQLSchema, vocabulary: Vocabulary, names: Names): GraphQLSchema {
  const all = searchedIn(vocabulary, names);
  const definitions = all.map(
    ({ type, properties }) =>
      `"""All that are given""" input ${type}Matching { ${[...properties.keys()].map((each) => `${each}: String`).join(' ')} }`,
  );
  if (all.length === 0) return schema;
  const extended = extendSchema(schema, parse(definitions.join('\n')));
  const byWhere = new Map(all.map((each) => [`${each.type}Where`, each]));
  for (const field of Object.values(extended.getQueryType()?.getFields() ?? {})) {
    const where = field.args.find(({ name }) => name === 'where');
    const searched = where && byWhere.get(getNamedType(where.type).name);
    const type = searched && extended.getType(`${searched.type}Matching`);
    const { resolve } = field;
    if (!searched || !resolve || !isInputObjectType(type)) continue;
    const more = { defaultValue: undefined, deprecationReason: undefined, extensions: {}, astNode: undefined };
    field.args = [...field.args, { name: 'matching', description, type, ...more }];
    field.resolve = matchingResolver(resolve as Resolver, searched);
  }
  return extended;
}

function searchedIn(vocabulary: Vocabulary, names: Names): Searched[] {
  return vocabulary.classes.flatMap(({ name, iri, fields }) => {
    const texts = fields.flatMap((each): [string, string][] =>
      each.kind === 'literal' && each.scalar === 'String' ? [[each.name, names.property(each.predicate)]] : [],
    );
    return texts.length > 0 ? [{ type: name, label: names.label(iri), properties: new Map(texts) }] : [];
  });
}

function matchingResolver(resolve: Resolver, searched: Searched): Resolver {
  return async (source, { matching, ...args }, context, info) => {
    const asked = Object.entries((matching ?? {}) as Record<string, string | null>);
    let ids: string[] | undefined;
    for (const [field, text] of asked) {
      if (text === null) continue;
      const path = [String(info.path.key)];
      ids = await idsMatching(context.executionContext, searched, { field, text, path, ids });
    }
    if (ids === undefined) return resolve(source, args, context, info);
    const chosen = { id: { in: ids } };
    const where = args.where ? { AND: [args.where, chosen] } : chosen;
    return resolve(source, { ...args, where }, context, info);
  };
}

interface FieldAsked {
  field: string;
  text: string;
  path: string[];
  /** Among which; absent for all. */
  ids: string[] | undefined;
}

/** The entities of a class whose visible value in a field has what is asked for. */
async function idsMatching(
  read: Pick<ReadTransaction, 'choose' | 'indexed'>,
  { label, properties }: Searched,
  { field, text, path, ids }: FieldAsked,
): Promise<string[]> {
  const property = properties.get(field) ?? '';
  const asked = matchingOf(text);
  if (typeof asked === 'string')
    throw refuse('bad-argument', `The argument 'matching' of '${path}' ${asked} in '${field}'`, {
      argument: 'matching',
      path,
    });
  const value = `n.${quoted(property)}`;
  const among = async (chosen?: string[]) => {
    const { records } = await read.choose<{ id: string; value: string | string[] }>(
      `MATCH (n:${quoted(label)}&Entity) WHERE ${chosen ? 'n.id IN $ids AND ' : ''}${value} IS NOT NULL
       RETURN n.id AS id, ${value} AS value`,
      chosen ? { ids: chosen } : {},
    );
    const ids: string[] = [];
    let characters = 0;
    for (const record of records) {
      for (const each of [record.get('value')].flat()) {
        characters += each.length;
        if (characters > atOnce) {
          characters = 0;
          await nextTurn();
        }
        if (!hasMatching(asked, each)) continue;
        ids.push(record.get('id'));
        break;
      }
    }
    return ids;
  };
  const pages = ids ? [ids] : read.indexed(matchingQuery(property, asked));
  if (!pages) return among();
  let found: string[] = [];
  for await (const page of pages) found = found.concat(await among(page));
  return found;
}
