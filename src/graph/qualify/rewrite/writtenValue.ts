import { has, type Tree, tree } from '../grammar/tree.ts';
import { refuse } from './rewrite.ts';

/**
 * What a number or a string stands for that is written in a query.
 * @returns undefined where the literal is none of these
 */
export function writtenValue(of: Tree): string | number | bigint | undefined {
  const text = tree(of, 'stringLiteral');
  if (text) return unescaped(text.source.slice(1, -1));
  const number = tree(of, 'numberLiteral');
  if (number) return numberOf(number);
  if (has(of, 'NAN')) return Number.NaN;
  return has(of, 'INF') || has(of, 'INFINITY') ? Number.POSITIVE_INFINITY : undefined;
}

const escapes = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));

/** A backslash before anything else stands for itself, as it does to Neo4j. */
function unescaped(text: string): string {
  return text.replace(/\\([bfnrt\\'"`])/g, (_, letter: string) => escapes.get(letter) ?? letter);
}

const greatest = 2n ** 63n - 1n;

function numberOf(of: Tree): number | bigint {
  const text = of.source.replace(/[\s_]/g, '');
  const isNegative = text.startsWith('-');
  const digits = isNegative ? text.slice(1) : text;
  if (/^(\d+|0x[0-9a-f]+|0o[0-7]+)$/i.test(digits)) {
    const value = isNegative ? -BigInt(digits) : BigInt(digits);
    if (value > greatest || value < -greatest - 1n) throw refuse('a whole number beyond 64 bits', of);
    return value;
  }
  const value = /^[\d.]+(e[+-]?\d+)?[df]?$/i.test(digits) ? Number.parseFloat(digits) : Number.NaN;
  if (!Number.isFinite(value)) throw refuse('a number of this form', of);
  return isNegative ? -value : value;
}

/** A whole number from 0 as it stands where the grammar wants one. */
export function countOf(text: string, at: Tree): number {
  const digits = text.replaceAll('_', '');
  const value = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw refuse('a number of this form', at);
  return value;
}
