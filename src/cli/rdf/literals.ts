import type { LiteralObject } from '../../client/index.ts';
import { rdf, xsd } from './iris.ts';

const integers = new Set(
  `integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger
   unsignedInt unsignedLong unsignedShort unsignedByte`
    .split(/\s+/)
    .map((name) => xsd + name),
);
const floats = new Set(['double', 'float', 'decimal'].map((name) => xsd + name));
const implied = new Set(['string', 'integer', 'boolean'].map((name) => xsd + name));

/**
 * A literal of RDF as Concord keeps it: numbers and booleans by value where JSON can hold it exactly, anything else as
 * text. A decimal is a number up to 15 digits, which is what a float keeps.
 */
export function literalOf(lexical: string, datatype: string, language = ''): LiteralObject {
  // What has a direction (`ar--rtl`) is of another datatype, which the language implies.
  if (language !== '') return { value: lexical, language };
  const value = readValue(lexical, datatype);
  const isImplied = implied.has(datatype) && datatypeOfValue(value) === datatype;
  return isImplied ? { value } : { value, type: datatype };
}

function readValue(lexical: string, datatype: string): LiteralObject['value'] {
  if (datatype === `${xsd}boolean`) {
    if (lexical === 'true' || lexical === '1') return true;
    return lexical === 'false' || lexical === '0' ? false : lexical;
  }
  if (integers.has(datatype) && /^[+-]?\d+$/.test(lexical)) {
    const value = Number(lexical);
    // -0 is 0.
    return Number.isSafeInteger(value) ? value + 0 : lexical;
  }
  if (floats.has(datatype) && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(lexical)) {
    const value = Number(lexical);
    const digits = lexical
      .replace(/[eE].*/, '')
      .replace(/\D/g, '')
      .replace(/^0+/, '');
    const isExact = datatype !== `${xsd}decimal` || (digits.length <= 15 && !/[eE]/.test(lexical));
    return Number.isFinite(value) && isExact ? value : lexical;
  }
  return lexical;
}

/** The text of a literal in RDF. */
export function lexicalOf({ value, type }: LiteralObject): string {
  return typeof value === 'number' && type === `${xsd}decimal` ? plainDecimal(value) : String(value);
}

/** Whether `literalOf` reads back exactly this literal, whose datatype is written in full. */
export function isExactInRdf(literal: LiteralObject): boolean {
  const { value, type = '', language } = literal;
  if (language !== undefined) {
    const implied = language.includes('--') ? rdf.dirLangString : rdf.langString;
    return typeof value === 'string' && type === implied && language === language.toLowerCase();
  }
  if (type === rdf.langString || type === rdf.dirLangString) return false;
  return Object.is(literalOf(lexicalOf(literal), type).value, value);
}

/** `1e-7` → `0.0000001`: a decimal has no exponent. */
function plainDecimal(value: number): string {
  const [mantissa = '', exponent] = String(value).split('e');
  if (exponent === undefined) return mantissa;
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(mantissa) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0').slice(0, point)}.${digits.slice(point) || '0'}`;
}

function datatypeOfValue(value: LiteralObject['value']): string {
  if (typeof value === 'string') return `${xsd}string`;
  return typeof value === 'boolean' ? `${xsd}boolean` : `${xsd}integer`;
}
