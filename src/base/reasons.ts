import { ConcordError, ErrorCode, type ErrorData } from './errors.ts';

/** What is known of a reason, wherever it is given. */
export interface ReasonEntry {
  /** The usual one; some reasons come with the code of the method that refuses. */
  code: ErrorCode;
  /** Whether the same call may succeed later; absent where the answer doesn't tell, for it can't. */
  retryable?: boolean;
  /**
   * Status over HTTP+JSON and of a stream that isn't established; absent means 400. JSON-RPC answers 200 otherwise, but for those
   * who aren't let in (401, 403, 503).
   */
  http?: number;
  /** Status over gRPC; absent means 3, INVALID_ARGUMENT. */
  grpc?: number;
  /** What it means and what to do, for whoever reads `docs/errors.md`. */
  says: string;
}

const { AlignmentViolation, InternalError, InvalidParams, InvalidRequest } = ErrorCode;
const { KnowledgeQuery, KnowledgeSubscription, KnowledgeUpdate, UnsupportedOperation } = ErrorCode;

const unauthenticated = { code: InvalidRequest, retryable: false, http: 401, grpc: 16 } as const;
const forbidden = { code: InvalidRequest, retryable: false, http: 403, grpc: 7 } as const;

/** Every reason that an error of Concord's gives in `data.reason`. `docs/errors.md` is made of this table. */
export const reasons = {
  // Who calls.
  missing: { ...unauthenticated, says: 'The request carries no credentials.' },
  malformed: {
    ...unauthenticated,
    says: 'The credentials are neither a token nor an API key by their form.',
  },
  'unsupported-scheme': { ...unauthenticated, says: '`Authorization` is of another scheme than `Bearer`.' },
  'not-accepted': {
    ...unauthenticated,
    says: 'Credentials of this kind are not taken here: see the agent card.',
  },
  unsigned: { ...unauthenticated, says: 'The token has no signature.' },
  'wrong-algorithm': {
    ...unauthenticated,
    says: 'The token is signed by an algorithm that does not fit the key.',
  },
  'unknown-key': { ...unauthenticated, says: 'The key, or the key of the token, is not known here.' },
  'bad-signature': { ...unauthenticated, says: 'The signature of the token is wrong.' },
  expired: { ...unauthenticated, says: 'The token has expired; get a new one.' },
  'no-expiry': { ...unauthenticated, says: 'The token has no time of expiry (`exp`).' },
  'not-yet-valid': { ...unauthenticated, says: 'The token is not valid yet (`nbf`); look at the clocks.' },
  'wrong-issuer': { ...unauthenticated, says: 'The token comes from another issuer than `JWT_ISSUER`.' },
  'wrong-audience': {
    ...unauthenticated,
    says: 'The token is meant for another audience than `JWT_AUDIENCE`.',
  },
  'revoked-key': { ...unauthenticated, says: 'The API key has been revoked.' },
  'credentials-differ': {
    ...unauthenticated,
    says: 'The request carries credentials of different principals; send one.',
  },
  'no-tenant': { ...forbidden, says: 'The token names no tenant.' },
  'no-agent': { ...forbidden, says: 'The token names no agent.' },
  'bad-claims': { ...forbidden, says: 'The claims of the token on scopes or graphs cannot be read.' },
  'tenant-not-allowed': { ...forbidden, says: 'The tenant is not among `TENANTS`.' },
  'missing-scope': {
    ...forbidden,
    says: 'The caller lacks the scope that the message names. A method answers with its own code.',
  },
  'foreign-tenant': { ...forbidden, says: 'The request names another tenant than that of its credentials.' },
  'identities-unavailable': {
    ...{ code: InvalidRequest, retryable: true, http: 503, grpc: 14 },
    says: 'Credentials cannot be checked at the moment: the key set or the database does not answer. Send it again.',
  },

  // What every method shares.
  'invalid-params': {
    code: InvalidParams,
    says: 'The params do not fit the method; `issues` lists each fault with its path. Nothing was applied.',
  },
  'database-unavailable': {
    ...{ code: KnowledgeQuery, retryable: true },
    says: 'Neo4j is away or busy. Send it again; an update with the same `idempotencyKey`. With the method’s own code.',
  },
  draining: {
    ...{ code: InternalError, retryable: true, http: 503, grpc: 14 },
    says: 'This replica shuts down. Send it again; a stream (-32012) resumes after its last event id.',
  },
  timeout: {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'It took longer than `QUERY_TIMEOUT_MS`, `UPDATE_TIMEOUT_MS` (-32011, nothing was applied) or `TASK_TIMEOUT_MS` (-32004).',
  },

  // Limits of queries.
  'too-deep': {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'Selections, filters or variables are nested beyond `QUERY_MAX_DEPTH`; split it.',
  },
  'too-large': {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'It has too many characters, tokens, clauses, fields or filter conditions (fragments expanded); split it.',
  },
  'too-costly': {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'Its estimate is beyond `QUERY_MAX_COST`; it was not run. Ask for smaller pages.',
  },
  'too-many-rows': {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'It found more than `QUERY_MAX_ROWS`; ask for pages.',
  },
  'answer-too-large': {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'Its answer is longer than `QUERY_MAX_BYTES`; ask for fewer fields, or for pages.',
  },
  'too-much-memory': {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'It took more memory of Neo4j than a transaction may have or, if `retryable`, than the others left.',
  },
  'too-many-queries': {
    ...{ code: KnowledgeQuery, retryable: true, http: 429, grpc: 8 },
    says: 'The agent has `QUERY_MAX_CONCURRENT` queries under way; send it when one is answered.',
  },

  // Queries.
  syntax: { ...{ code: KnowledgeQuery, retryable: false }, says: 'It is not GraphQL; `errors` say where.' },
  operation: {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'There is not exactly one operation of the kind that the method takes.',
  },
  validation: {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'It does not fit the schema; `errors` say where. Of a subscription -32012.',
  },
  'bad-argument': {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'An argument has a value that it cannot have, such as a negative `first`.',
  },
  execution: {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'Neo4j could not execute it; `status` is Neo4j’s code, or `errors` say where.',
  },
  untranslatable: {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'The field cannot be asked in this way; the message says what can.',
  },
  'unsupported-language': {
    ...{ code: KnowledgeQuery, retryable: false, http: 501, grpc: 12 },
    says: 'The query language is not taken here; `supported` lists those that are.',
  },
  'refused-cypher': {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'The Cypher has a `construct` that is not taken, at `position`.',
  },
  unconfined: {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'Concord could not make sure that it reads only what the caller may see; it was not run. Tell the operator.',
  },
  'revision-not-reached': {
    ...{ code: KnowledgeQuery, retryable: true },
    says: 'The graph did not reach `afterRevision` in time; ask again, or without it.',
  },
  'no-query': {
    ...{ code: KnowledgeQuery, retryable: false },
    says: 'The language model made no query of the question that holds; `query` is the last one.',
  },
  'model-unavailable': {
    ...{ code: KnowledgeQuery, retryable: true },
    says: 'The language model does not answer, or not as it should. Try later, or ask by the skill `query`.',
  },

  // Updates.
  forbidden: {
    code: AlignmentViolation,
    says: 'A rule forbids it; `rule` names it and `violations` say where.',
  },
  'closed-class': {
    ...{ code: AlignmentViolation, retryable: false },
    says: 'The policy closes the class to the caller; `rule` names the policy’s rule.',
  },
  'closed-predicate': {
    ...{ code: AlignmentViolation, retryable: false },
    says: 'The policy closes the predicate to the caller; `rule` names the policy’s rule.',
  },
  'closed-graph': {
    ...{ code: KnowledgeUpdate, retryable: false },
    says: 'The caller has no access to the graph.',
  },
  'foreign-agent': {
    ...{ code: KnowledgeUpdate, retryable: false },
    says: '`sourceAgentId` is another agent than the caller.',
  },
  'limited-graphs': {
    ...{ code: KnowledgeUpdate, retryable: false },
    says: 'Who reviews or purges must see all graphs of the tenant.',
  },
  'limited-policy': {
    ...{ code: KnowledgeUpdate, retryable: false },
    says: 'Who purges must have nothing closed to it.',
  },
  'unknown-predicate': { code: InvalidParams, says: 'The vocabulary is closed and has no such predicate.' },
  'too-many-new-predicates': {
    code: InvalidParams,
    says: 'The update brings more predicates that Concord has not seen than `limit`.',
  },
  'revision-conflict': {
    ...{ code: KnowledgeUpdate, retryable: false },
    says: 'The graph has moved on from `expectedRevision`; nothing was applied. Read, and decide again.',
  },
  'queue-full': {
    ...{ code: KnowledgeUpdate, retryable: true },
    says: 'Too many updates wait; nothing was applied. Send it again after `retryAfterMs`.',
  },
  'unknown-proposal': { ...{ code: KnowledgeUpdate, retryable: false }, says: 'There is no such proposal.' },
  'not-pending': {
    ...{ code: KnowledgeUpdate, retryable: false },
    says: 'The proposal was decided already.',
  },

  // Subscriptions.
  'cursor-ahead': {
    ...{ code: KnowledgeSubscription, retryable: false },
    says: 'The cursor is ahead of the change log, which ends at `newest`: it is of another graph, or of one before a restore.',
  },
  'cursor-too-old': {
    ...{ code: KnowledgeSubscription, retryable: false },
    says: 'Changes after the cursor are gone; the log begins at `oldest`. Read the graph, then subscribe anew.',
  },
  'slow-consumer': {
    ...{ code: KnowledgeSubscription, retryable: true },
    says: 'The stream was read more slowly than it changed; resume after the last event id.',
  },
  'too-many-subscriptions': {
    ...{ code: KnowledgeSubscription, retryable: true },
    says: 'The socket has as many subscriptions as one may; complete one, or open another socket.',
  },

  // Tasks.
  'too-many-tasks': {
    ...{ code: InvalidRequest, retryable: true, http: 429, grpc: 8 },
    says: 'The agent, or all together, have as many tasks under way as `limit`; send it again later.',
  },
  'too-many-streams': {
    ...{ code: InvalidRequest, retryable: true, http: 429, grpc: 8 },
    says: 'The agent, or all together, have as many streams open as `limit`; send it again later.',
  },
  'history-full': {
    ...{ code: UnsupportedOperation, retryable: false, http: 400, grpc: 9 },
    says: 'The task has the messages that it may have (`TASK_MAX_HISTORY`); begin another.',
  },
  'artifact-too-large': {
    ...{ code: UnsupportedOperation, retryable: false },
    says: 'The artifacts are longer than `TASK_MAX_ARTIFACT_BYTES`; ask for less.',
  },
  'push-configs-full': {
    ...{ code: UnsupportedOperation, retryable: false },
    says: 'The task has as many push notification configurations as one may; delete one.',
  },

  // Receivers of push notifications.
  'invalid-url': {
    ...{ code: InvalidParams, retryable: false },
    says: 'The receiver’s address is no URL for it.',
  },
  'unknown-host': {
    ...{ code: InvalidParams, retryable: true },
    says: 'The receiver’s host cannot be found.',
  },
  'refused-address': {
    ...{ code: InvalidParams, retryable: false },
    says: 'The receiver’s address is private, and not in `PUSH_ALLOW`.',
  },
  'https-required': {
    ...{ code: InvalidParams, retryable: false },
    says: 'The receiver is not reached over https.',
  },
  'invalid-header': {
    ...{ code: InvalidParams, retryable: false },
    says: 'The token or the credentials for the receiver cannot stand in a header.',
  },
} as const satisfies Record<string, ReasonEntry>;

/** In words for programs, what is wrong with a call. */
export type Reason = keyof typeof reasons;

/** What an error tells beside its reason; `retryable` only where it differs from the table. */
type Details = Omit<ErrorData, 'reason'>;

/**
 * The error of a reason, as the table has it.
 * @param options `code` where the method has one of its own for it
 */
export function refuse(
  reason: Reason,
  message: string,
  details: Details = {},
  { code, cause }: { code?: ErrorCode; cause?: unknown } = {},
): ConcordError {
  const { retryable, ...entry } = entryOf(reason);
  const data = { reason, ...(retryable !== undefined && { retryable }), ...details };
  return new ConcordError(code ?? entry.code, message, data, cause === undefined ? undefined : { cause });
}

export function entryOf(reason: Reason): ReasonEntry {
  return reasons[reason];
}
