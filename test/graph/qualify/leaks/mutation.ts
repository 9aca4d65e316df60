import type { Random } from '../random.ts';

/** Words, numbers, strings, quoted names, comments and signs; what is none of them stands for itself. */
const token =
  /\/\*.*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:``|[^`])*`|\$?[\p{L}_][\p{L}\p{N}_]*|\d+(?:\.\d+)?|<=|>=|<>|=~|->|<-|\.\.|\s+|./gsu;

/** What a query may be made of, beside its own tokens. */
const others =
  `MATCH OPTIONAL WHERE WITH RETURN UNWIND UNION ALL CALL EXISTS COUNT COLLECT CASE WHEN THEN ELSE END AND OR XOR NOT IN IS NULL
  STARTS DISTINCT ORDER BY DESC AS null true false 0 1 -1 1.5 'a' "" $p0 ( ) [ ] { } , . .. : | & ! = < > + - * / % ^ =~ -> <- -- v1 own labels( keys(
  properties( nodes( type( size( head( :Literal :Entity .tenant .id .* [0] ['id'] \` ' " // /* */ \u0027 😀 \ufeff`.split(
    /\s+/,
  );

/** Whether a text stays small whatever happens to its tokens: one that asks for paths of any length may not. */
export function isMutable(text: string): boolean {
  return !/\*\d|\*\.|\}\s*\(|\)\{|->\{|-\{|SHORTEST|shortest/i.test(text);
}

/** The text with a few of its tokens left out, doubled, changed or in other places. */
export function mutated(random: Random, text: string): string {
  const tokens = text.match(token) ?? [];
  for (let times = random.pick([1, 1, 1, 1, 2]); times > 0; times--) {
    const at = random.below(tokens.length);
    const to = random.below(tokens.length);
    random.pick([
      () => tokens.splice(at, 1),
      () => tokens.splice(at, 0, tokens[at] ?? ''),
      () => tokens.splice(to, 0, ...tokens.splice(at, 1 + random.below(4))),
      () => tokens.splice(at, 1, tokens[to] ?? ''),
      () => tokens.splice(at, 1, ` ${random.pick(others)} `),
      () => tokens.splice(at, 0, ` ${random.pick(others)} `),
    ])();
  }
  return tokens.join('');
}
