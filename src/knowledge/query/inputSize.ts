import { Kind, type ValueNode } from 'graphql';

/** How much there is in an argument or a variable. */
export interface InputSize {
  /** Objects: each is a condition, or joins some. */
  objects: number;
  /** Levels of objects and lists. */
  depth: number;
}

/** Measures an argument as it is written; variables in it count nothing. */
export function literalSize(value: ValueNode): InputSize {
  return sizeOf<ValueNode>(value, (each) => {
    if (each.kind === Kind.OBJECT) return { isObject: true, members: each.fields.map((field) => field.value) };
    return each.kind === Kind.LIST ? { isObject: false, members: each.values } : undefined;
  });
}

/** Measures the JSON value of a variable. */
export function variableSize(value: unknown): InputSize {
  return sizeOf<unknown>(value, (each) => {
    if (each === null || typeof each !== 'object') return undefined;
    return Array.isArray(each) ? { isObject: false, members: each } : { isObject: true, members: Object.values(each) };
  });
}

type Opened<Value> = { isObject: boolean; members: readonly Value[] } | undefined;

/** Without recursion, for a request may nest more deeply than the stack goes. */
function sizeOf<Value>(root: Value, open: (value: Value) => Opened<Value>): InputSize {
  const size = { objects: 0, depth: 0 };
  let level = [root];
  for (let depth = 1; level.length > 0; depth++) {
    const below: Value[] = [];
    for (const value of level) {
      const opened = open(value);
      if (opened === undefined) continue;
      size.depth = depth;
      if (opened.isObject) size.objects += 1;
      for (const member of opened.members) below.push(member);
    }
    level = below;
  }
  return size;
}
