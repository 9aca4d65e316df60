import type { GraphQLSchema } from 'graphql';
import type { Random } from '../../graph/qualify/random.ts';
import { tokenOf } from '../../support/identities.ts';
import { type Document, randomDocument } from './document.ts';
import { randomClaims, type Times } from './graph.ts';

/** One document with who asks it, under which conditions, and at which door. */
export interface Asked extends Document {
  claims: object;
  door: 'knowledge/query' | '/graphql';
  conditions: Conditions;
}

/** As `knowledge/query` takes them. */
export interface Conditions {
  requiredCertainty?: number;
  maxAgeSeconds?: number;
  metadata: { asOf?: string; asOfRevision?: number; consulted?: boolean };
}

/** What a server has made of a document. */
export interface Answer {
  ms: number;
  status: number;
  data?: unknown;
  /** The first of them. */
  error?: { message: string; code?: unknown; reason?: unknown; status?: unknown };
}

export function randomAsked(random: Random, schema: GraphQLSchema, times: Times): Asked {
  const door = random.chance(0.6) ? 'knowledge/query' : '/graphql';
  const asOf = random.chance(0.3) ? { asOf: random.pick(times) } : {};
  const more =
    door === '/graphql'
      ? {}
      : {
          ...(asOf.asOf === undefined && random.chance(0.3) && { asOfRevision: random.below(5) }),
          ...(random.chance(0.3) && { consulted: true }),
        };
  return {
    ...randomDocument(random, schema),
    claims: randomClaims(random),
    door,
    conditions: {
      ...(random.chance(0.4) && { requiredCertainty: random.pick([0, 0.25, 0.5, 1]) }),
      ...(random.chance(0.25) && { maxAgeSeconds: random.pick([0, 60, 1e6]) }),
      metadata: { ...asOf, ...more },
    },
  };
}

/** Asks Concord. */
export async function askConcord(url: string, { text, variables, claims, door, conditions }: Asked): Promise<Answer> {
  const headers = { authorization: `Bearer ${tokenOf(claims)}` };
  if (door === 'knowledge/query') {
    const params = { query: text, variables, ...conditions };
    const body = { jsonrpc: '2.0', id: 1, method: 'knowledge/query', params };
    const { ms, status, answer } = await post(`${url}/a2a`, headers, body);
    const { error } = answer;
    return {
      ms,
      status,
      data: answer.result?.data,
      ...(error && { error: { ...error.data, code: error.code, message: error.message } }),
    };
  }
  const { requiredCertainty, maxAgeSeconds, metadata } = conditions;
  const { ms, status, answer } = await post(
    `${url}/graphql`,
    {
      ...headers,
      ...(requiredCertainty !== undefined && { 'x-required-certainty': String(requiredCertainty) }),
      ...(maxAgeSeconds !== undefined && { 'x-max-age-seconds': String(maxAgeSeconds) }),
      ...(metadata.asOf !== undefined && { 'x-as-of': metadata.asOf }),
    },
    { query: text, variables },
  );
  return { ms, status, ...graphqlAnswer(answer) };
}

/** Asks a server that knows no conditions. */
export async function askBare(url: string, { text, variables }: Asked): Promise<Answer> {
  // It is asked now and then, and closes a connection that has been idle, perhaps just when it is used again.
  const { ms, status, answer } = await post(url, { connection: 'close' }, { query: text, variables });
  return { ms, status, ...graphqlAnswer(answer) };
}

interface Body {
  result?: { data: unknown };
  error?: { code: number; message: string; data: object };
  data?: unknown;
  errors?: { message: string; extensions?: object }[];
}

function graphqlAnswer({ data, errors }: Body): Pick<Answer, 'data' | 'error'> {
  const [error] = errors ?? [];
  return { data, ...(error && { error: { ...error.extensions, message: error.message } }) };
}

async function post(url: string, headers: Record<string, string>, body: object) {
  const started = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Body;
  return { ms: performance.now() - started, status: response.status, answer };
}
