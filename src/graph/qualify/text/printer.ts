import { getOrInsert } from '../../../base/getOrInsert.ts';
import { quoted } from '../../names/names.ts';
import type { Literal, Part, Piece, Variable } from './piece.ts';

/** The text of a query and the parameters that it has. */
interface Printed {
  cypher: string;
  /** The values that were written in the query, by the parameters in which they travel. */
  literals: Record<string, Literal['value']>;
  /** The caller's parameters, by those in which they travel. */
  given: ReadonlyMap<string, string>;
}

/** Makes text of a query that is built. */
export function print(query: Piece): Printed {
  const variables = new Map<Variable, string>();
  const literals = new Map<string, string>();
  const values: Printed['literals'] = {};
  const given = new Map<string, string>();
  const texts: string[] = [];

  const add = (part: Part): void => {
    switch (part.is) {
      case 'piece':
        part.texts.forEach((text, index) => {
          texts.push(text);
          const next = part.parts[index];
          if (next) add(next);
        });
        return;
      case 'variable':
        texts.push(nameIn(variables, part, 'v'));
        return;
      case 'given':
        texts.push(`$${nameIn(given, part.name, 'g')}`);
        return;
      case 'literal': {
        const name = nameIn(literals, keyOf(part.value), 'l');
        values[name] = part.value;
        texts.push(`$${name}`);
        return;
      }
      case 'name':
        texts.push(quoted(part.name));
        return;
      case 'count':
        if (!Number.isSafeInteger(part.count) || part.count < 0) throw new Error('Not a count');
        texts.push(String(part.count));
    }
  };
  add(query);
  return {
    cypher: texts.join(''),
    literals: values,
    given: new Map([...given].map(([name, printed]) => [printed, name])),
  };
}

function nameIn<Key>(names: Map<Key, string>, key: Key, initial: string): string {
  return getOrInsert(names, key, () => `${initial}${names.size + 1}`);
}

/** The same for values that are the same, of the same type. */
function keyOf(value: Literal['value']): string {
  return `${typeof value} ${typeof value === 'object' ? JSON.stringify(value) : value}`;
}

/** A bound on the length of a text, without making it: a piece that stands in several places is measured once. */
export function lengthOf(query: Part): number {
  const known = new Map<Piece, number>();
  const measure = (part: Part): number => {
    if (part.is === 'name') return part.name.length + 2;
    if (part.is !== 'piece') return 8;
    const had = known.get(part);
    if (had !== undefined) return had;
    let length = 0;
    for (const text of part.texts) length += text.length;
    for (const each of part.parts) length += measure(each);
    known.set(part, length);
    return length;
  };
  return measure(query);
}
