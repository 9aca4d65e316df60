/** What an expression may give, as far as reading it needs to know. */
export type Kind =
  | 'data'
  | 'null'
  | 'node'
  | 'literal'
  | 'relationship'
  | 'path'
  | 'any'
  | { list: Kind }
  | { map: Members };
type Members = ReadonlyMap<string, Kind>;

export const isList = (kind: Kind): kind is { list: Kind } => typeof kind === 'object' && 'list' in kind;
export const isMap = (kind: Kind): kind is { map: Members } => typeof kind === 'object' && 'map' in kind;
export const isNode = (kind: Kind | undefined) => kind === 'node' || kind === 'literal';
export const isData = (kind: Kind): boolean =>
  kind === 'data' || kind === 'null' || (isList(kind) && isData(kind.list));
export const listOf = (kind: Kind): Kind => (kind === 'data' ? 'data' : { list: kind });
export const mapOf = (map: Members): Kind => ([...map.values()].every(isData) ? 'data' : { map });
export const elementOf = (kind: Kind): Kind => (isList(kind) ? kind.list : isData(kind) ? kind : 'any');

export function either(one: Kind, other: Kind): Kind {
  if (one === other || other === 'null') return one;
  if (one === 'null') return other;
  // Before data: of two empty lists comes one that may still be joined to a list of anything.
  if (isList(one) && isList(other)) return listOf(either(one.list, other.list));
  if (isData(one) && isData(other)) return 'data';
  if (isNode(one) && isNode(other)) return 'node';
  if (!isMap(one) || !isMap(other)) return 'any';
  const keys = [...new Set([...one.map.keys(), ...other.map.keys()])];
  const member = (key: string) => either(one.map.get(key) ?? 'null', other.map.get(key) ?? 'null');
  return mapOf(new Map(keys.map((key) => [key, member(key)])));
}

export interface Binding {
  kind: Kind;
  /** Whether it is certainly bound: a pattern needs no conditions on it then. */
  sure: boolean;
}
type Bindings = ReadonlyMap<string, Binding>;
/** The variables at one place, and those of them from outside of the sub-query. */
export interface Env {
  here: Bindings;
  outer: Bindings;
  /** The forms of conditions that each row has met. */
  met?: ReadonlySet<string>;
}

export const unsure = (all: Bindings): Bindings =>
  new Map([...all].map(([name, { kind }]) => [name, { kind, sure: false }]));
export const extended = ({ here, outer, met }: Env, more: Iterable<[string, Kind]>): Env => ({
  here: new Map([...here, ...[...more].map(([name, kind]): [string, Binding] => [name, { kind, sure: true }])]),
  outer,
  ...(met && { met }),
});
