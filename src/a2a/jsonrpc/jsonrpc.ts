import { scan } from 'secure-json-parse';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { isObject } from '../../base/isObject.ts';
import { refuse } from '../../base/reasons.ts';
import { isNestedTooDeeply, nestingFault } from '../../calls/nesting.ts';
import { invalidRequest } from '../protocol/protocolError.ts';

/** JSON-RPC 2.0 section 4: what names a request in its answer. */
export type Id = string | number | null;

/** A well-formed request; without an `id` it is a notification, which is executed and not answered. */
export interface Request {
  id?: Id;
  method: string;
  params: unknown;
}

/** An element of the body that is not a request, and the answer to it. */
export interface Malformed {
  id: Id;
  error: ConcordError;
}

export interface Body {
  /** A batch is answered with an array. */
  batch: boolean;
  entries: (Request | Malformed)[];
}

const MAX_BATCH = 100;
/** Characters of an id: each answer, and each event of a stream, carries it. */
const longestId = 1_024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The keys that can only be an attempt on the prototypes, or an escape that may hide them. */
const suspicious = /__proto__|constructor|\\u/;

/**
 * Reads a body: JSON-RPC 2.0 sections 4 and 6.
 * @throws ConcordError ParseError when it isn't JSON in UTF-8, InvalidRequest for a batch that is empty or too long.
 */
export function parseBody(bytes: Uint8Array): Body {
  const text = decode(bytes);
  const value = parseJson(text);
  const faultOf = faultFinder(text);
  if (!Array.isArray(value)) return { batch: false, entries: [parseRequest(value, faultOf)] };
  if (value.length === 0) throw invalidRequest('The batch is empty');
  if (value.length > MAX_BATCH) {
    throw invalidRequest(`The batch has ${value.length} requests; the limit is ${MAX_BATCH}`);
  }
  return { batch: true, entries: value.map((element) => parseRequest(element, faultOf)) };
}

export function isMalformed(entry: Request | Malformed): entry is Malformed {
  return 'error' in entry;
}

/**
 * The params of a request, for a method that takes them by name; absent params are none.
 * @throws ConcordError InvalidParams when they are not an object.
 */
export function paramsOf(request: Request): object {
  const { params } = request;
  if (params === undefined) return {};
  if (isObject(params)) return params;
  const given = params === null ? 'null' : Array.isArray(params) ? 'an array' : `a ${typeof params}`;
  throw invalidParams(`params must be an object, not ${given}`);
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ConcordError(ErrorCode.ParseError, 'The body is not UTF-8', {}, { cause });
  }
}

function parseJson(text: string): unknown {
  if (text === '') throw new ConcordError(ErrorCode.ParseError, 'The body is empty; a JSON-RPC request is expected');
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    throw new ConcordError(ErrorCode.ParseError, `The body is not JSON${why}`, {}, { cause });
  }
}

/**
 * What may be wrong with params, as far as the text of the body gives reason to look: looking takes longer than
 * parsing.
 */
function faultFinder(text: string): (params: unknown) => ConcordError | undefined {
  const isDeep = isNestedTooDeeply(text);
  const isSuspicious = suspicious.test(text);
  return (params) => {
    const fault = isDeep ? nestingFault(params) : undefined;
    const key = !fault && isSuspicious ? forbiddenKey(params) : undefined;
    return key === undefined ? fault : invalidParams(`params must not have the key ${key}`);
  };
}

function parseRequest(value: unknown, faultOf: (params: unknown) => ConcordError | undefined): Request | Malformed {
  if (!isObject(value)) return { id: null, error: invalidRequest('A request must be an object') };
  const { jsonrpc, id, method, params } = value;
  const named = Object.hasOwn(value, 'id');
  if (named && !isId(id)) {
    // A number that was rounded in reading, or is no JSON number again, would answer another request than was asked.
    return { id: null, error: invalidRequest('id must be a string, null or a number up to 2^53') };
  }
  if (typeof id === 'string' && id.length > longestId) {
    return { id: null, error: invalidRequest(`id is longer than ${longestId} characters`) };
  }
  const known = named ? (id as Id) : null;
  if (jsonrpc !== '2.0') return { id: known, error: invalidRequest('jsonrpc must be "2.0"') };
  if (typeof method !== 'string') return { id: known, error: invalidRequest('method must be a string') };
  const fault = faultOf(params);
  if (fault) return { id: known, error: fault };
  return { ...(named && { id: known }), method, params };
}

function isId(id: unknown): id is Id {
  if (typeof id === 'number') return Number.isFinite(id) && Math.abs(id) <= Number.MAX_SAFE_INTEGER;
  return id === null || typeof id === 'string';
}

function forbiddenKey(params: unknown): string | undefined {
  if (params === null || typeof params !== 'object') return undefined;
  if (scan({ params }, { constructorAction: 'ignore', safe: true }) === null) return '__proto__';
  if (scan({ params }, { protoAction: 'ignore', safe: true }) === null) return 'constructor.prototype';
  return undefined;
}

function invalidParams(message: string): ConcordError {
  return refuse('invalid-params', message, { issues: [{ path: '', message }] });
}
