import { Unauthenticated } from './refused.ts';

/**
 * The token in the `metadata` of a request's params; undefined where there is none. The requests of one HTTP body, a
 * batch, are made by one principal, so all tokens in them must be the same.
 * @param params of each request of the body, not checked yet
 * @throws Unauthenticated when a token is not a string, or they differ
 */
export function metadataToken(params: readonly unknown[]): string | undefined {
  return oneOf(params.map((each) => property(property(each, 'metadata'), 'token')));
}

/**
 * The credential that is said once or several times; undefined where it isn't.
 * @throws Unauthenticated when it is not a string, or not always the same
 */
export function oneOf(said: readonly unknown[]): string | undefined {
  const [token, another] = new Set(said.filter((each) => each !== undefined));
  if (another !== undefined) throw new Unauthenticated('credentials-differ');
  if (token !== undefined && typeof token !== 'string') throw new Unauthenticated('malformed');
  return token;
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
