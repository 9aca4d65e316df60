/** What a variable or expression is, as far as reading it needs to know. */
export type Kind =
  | { is: 'node' | 'relationship' | 'path' }
  /** A value with nothing of the graph in it. */
  | { is: 'data' }
  | { is: 'null' }
  | { is: 'list'; of: Kind }
  | { is: 'map'; members: ReadonlyMap<string, Kind> }
  /** Not known: may hold anything. */
  | { is: 'any' };

export const node: Kind = { is: 'node' };
export const relationship: Kind = { is: 'relationship' };
export const path: Kind = { is: 'path' };
export const data: Kind = { is: 'data' };
export const nothing: Kind = { is: 'null' };
export const any: Kind = { is: 'any' };

export function listOf(of: Kind): Kind {
  return isData(of) && of.is !== 'null' ? data : { is: 'list', of };
}

export function mapOf(members: ReadonlyMap<string, Kind>): Kind {
  return [...members.values()].every(isData) ? data : { is: 'map', members };
}

/** Whether nothing of the graph is in it, for sure. */
export function isData(kind: Kind): boolean {
  if (kind.is === 'list') return isData(kind.of);
  return kind.is === 'data' || kind.is === 'null';
}

/** What something is that is one or the other. */
export function either(one: Kind, other: Kind): Kind {
  if (one.is === 'null') return other;
  if (other.is === 'null') return one;
  if (isData(one) && isData(other)) return data;
  if (one.is === 'list' && other.is === 'list') return { is: 'list', of: either(one.of, other.of) };
  if (one.is === 'map' && other.is === 'map') {
    const keys = new Set([...one.members.keys(), ...other.members.keys()]);
    const members = [...keys].map(
      (key) => [key, either(one.members.get(key) ?? nothing, other.members.get(key) ?? nothing)] as const,
    );
    return { is: 'map', members: new Map(members) };
  }
  return one.is === other.is && one.is !== 'list' && one.is !== 'map' ? one : any;
}

/** What the elements of a list are. */
export function elementOf(kind: Kind): Kind {
  if (kind.is === 'list') return kind.of;
  return isData(kind) ? kind : any;
}

/** What a member of a map is. */
export function memberOf(kind: Kind, key: string): Kind {
  if (kind.is === 'map') return kind.members.get(key) ?? nothing;
  return isData(kind) ? kind : any;
}
