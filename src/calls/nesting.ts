import type { ConcordError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import { pathText } from './params.ts';

/** Levels of objects and lists that a request's JSON may have: what reads it is recursive, and the stack is not. */
export const deepestNesting = 100;

// As numbers, for every character of a body is compared with them.
const quote = 0x22;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/**
 * Whether JSON text has more levels than it may have. It costs less than parsing it; text that is no JSON has no
 * levels to speak of.
 */
export function isNestedTooDeeply(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === quote) at = endOfString(json, at);
    else if (unit === closingBracket || unit === closingBrace) depth -= 1;
    else if (unit === openingBracket || unit === openingBrace) depth += 1;
    if (depth > deepestNesting) return true;
  }
  return false;
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === quote) return at;
    if (unit === backslash) at += 1;
  }
  return json.length;
}

/**
 * The error for a value that has more levels than it may have, with the path to them; undefined if it hasn't. It
 * doesn't recurse.
 */
export function nestingFault(value: unknown): ConcordError | undefined {
  type Level = { value: unknown; path: Path | undefined };
  let level: Level[] = [{ value, path: undefined }];
  for (let depth = 0; level.length > 0; depth++) {
    const below: Level[] = [];
    for (const { value: each, path } of level) {
      if (typeof each !== 'object' || each === null || ArrayBuffer.isView(each)) continue;
      if (depth === deepestNesting) return tooDeep(path);
      const isList = Array.isArray(each);
      for (const [key, member] of Object.entries(each)) {
        below.push({ value: member, path: { above: path, key: isList ? Number(key) : key } });
      }
    }
    level = below;
  }
  return undefined;
}

/** @throws ConcordError -32602 for JSON text that has more levels than it may have */
export function requireShallow(json: string): void {
  if (!isNestedTooDeeply(json)) return;
  let error: ConcordError | undefined;
  try {
    error = nestingFault(JSON.parse(json));
  } catch {
    // What is no JSON is told by who parses it.
  }
  if (error) throw error;
}

interface Path {
  above: Path | undefined;
  key: PropertyKey;
}

/** Of a path that long the first steps say which. */
const namedSteps = 8;
const longestKey = 40;

function tooDeep(path: Path | undefined): ConcordError {
  const keys: PropertyKey[] = [];
  for (let step = path; step; step = step.above) {
    keys.unshift(typeof step.key === 'string' ? step.key.slice(0, longestKey) : step.key);
  }
  const where = pathText(keys.slice(0, namedSteps));
  const message = `is nested deeper than ${deepestNesting} levels`;
  return refuse('invalid-params', `Invalid params: ${where} ${message}`, {
    issues: [{ path: where, message }],
  });
}
