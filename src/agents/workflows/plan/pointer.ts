import { isObject } from '../../../base/isObject.ts';

/** The steps of a JSON Pointer (RFC 6901); undefined where it is none. */
function tokensOf(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export const isPointer = (text: string): boolean => tokensOf(text) !== undefined;

/** What a JSON Pointer leads to; undefined where there is nothing. */
export function pointedAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const token of tokensOf(pointer) ?? []) {
    if (Array.isArray(found)) found = /^(0|[1-9]\d*)$/.test(token) ? found[Number(token)] : undefined;
    else found = isObject(found) && Object.hasOwn(found, token) ? found[token] : undefined;
    if (found === undefined) return undefined;
  }
  return found;
}
