import { ConcordError, ErrorCode, type ErrorData } from './errors.ts';

/** What is known of a reason, wherever it is given. */
interface ReasonEntry {
  /** The usual one; some reasons come with the code of the method that refuses. */
  code: ErrorCode;
  /** Whether the same call may succeed later; absent where the answer doesn't tell, for it can't. */
  retryable?: boolean;
  /**
   * Status over HTTP+JSON and of a stream that isn't established; absent means 400. JSON-RPC answers 200 otherwise, but
   * for those who aren't let in (401, 403, 503), and for what a caller may not do by the extension's methods (403).
   */
  http?: number;
  /** Status over gRPC; absent means 3, INVALID_ARGUMENT. */
  grpc?: number;
  /** What it means and what to do, for whoever reads `docs/errors.md`. */
  says: string;
}

/** Entries of one code: what differs from the usual comes behind what it says. */
const entries =
  (code: ErrorCode, retryable: boolean | undefined, statuses: Pick<ReasonEntry, 'http' | 'grpc'> = {}) =>
  (says: string, more: Partial<ReasonEntry> = {}): ReasonEntry => ({
    code,
    ...(retryable !== undefined && { retryable }),
    ...statuses,
    ...more,
    says,
  });
const unauthenticated = entries(ErrorCode.InvalidRequest, false, { http: 401, grpc: 16 });
const forbidden = entries(ErrorCode.InvalidRequest, false, { http: 403, grpc: 7 });
const tooMany = entries(ErrorCode.InvalidRequest, true, { http: 429, grpc: 8 });
const away = { retryable: true, http: 503, grpc: 14 };
const params = entries(ErrorCode.InvalidParams, undefined);
const receiver = entries(ErrorCode.InvalidParams, false);
const query = entries(ErrorCode.KnowledgeQuery, false);
const update = entries(ErrorCode.KnowledgeUpdate, false);
const subscription = entries(ErrorCode.KnowledgeSubscription, false);
const violation = entries(ErrorCode.AlignmentViolation, false);
const batch = entries(ErrorCode.InvalidRequest, true, { http: 413, grpc: 8 });
const task = entries(ErrorCode.UnsupportedOperation, false);
const registry = entries(ErrorCode.InvalidRequest, false);

/** Every reason that an error of Concord's gives in `data.reason`. `docs/errors.md` is made of this table. */
export const reasons = {
  // Who calls.
  missing: unauthenticated('The request carries no credentials.'),
  malformed: unauthenticated('The credentials are neither a token nor an API key by their form.'),
  'unsupported-scheme': unauthenticated('`Authorization` is of another scheme than `Bearer`.'),
  'not-accepted': unauthenticated('Credentials of this kind are not taken here: see the agent card.'),
  unsigned: unauthenticated('The token has no signature.'),
  'wrong-algorithm': unauthenticated('The token is signed by an algorithm that does not fit the key.'),
  'unknown-key': unauthenticated(
    'The key, or the key of the token, is not known here. Of a token it is `retryable`, for its key may be a new one.',
  ),
  'bad-signature': unauthenticated('The signature of the token is wrong.'),
  expired: unauthenticated('The token has expired; get a new one.'),
  'no-expiry': unauthenticated('The token has no time of expiry (`exp`).'),
  'not-yet-valid': unauthenticated('The token is not valid yet (`nbf`); look at the clocks.'),
  'wrong-issuer': unauthenticated('The token comes from another issuer than `JWT_ISSUER`.'),
  'wrong-audience': unauthenticated('The token is meant for another audience than `JWT_AUDIENCE`.'),
  'revoked-key': unauthenticated('The API key has been revoked.'),
  'credentials-differ': unauthenticated('The request carries credentials of different principals; send one.'),
  'unknown-certificate': unauthenticated(
    'The certificate of the caller names nobody of `CLIENT_CERTIFICATES`, and there are no other credentials.',
  ),
  'no-tenant': forbidden('The token names no tenant.'),
  'no-agent': forbidden('The token names no agent.'),
  'bad-claims': forbidden('The claims of the token on scopes or graphs cannot be read.'),
  'tenant-not-allowed': forbidden('The tenant is not among `TENANTS`.'),
  'missing-scope': forbidden('The caller lacks the scope that the message names. A method answers with its own code.'),
  'foreign-tenant': forbidden('The request names another tenant than that of its credentials.'),
  'foreign-caller': forbidden(
    '`X-Agent-ID` or `caller_id` (AgentOS) or `from.agentId` (ONE) names another agent than the credentials.',
  ),
  'identities-unavailable': forbidden(
    'Credentials cannot be checked at the moment: the key set or the database does not answer. Send it again.',
    away,
  ),

  // What every method shares.
  'invalid-params': params(
    'The params do not fit the method; `issues` lists each fault with its path. Nothing was applied.',
  ),
  'database-unavailable': query(
    'Neo4j is away or busy. Send it again after `retryAfterMs`; an update with the same `idempotencyKey`. With the method’s own code.',
    away,
  ),
  draining: query('This replica shuts down. Send it again; a stream (-32012) resumes after its last event id.', {
    code: ErrorCode.InternalError,
    ...away,
  }),
  timeout: query(
    'It took longer than `QUERY_TIMEOUT_MS`, `UPDATE_TIMEOUT_MS` (-32011, nothing was applied) or `TASK_TIMEOUT_MS` (-32004).',
  ),

  // Limits of queries.
  'too-deep': query('Selections, filters or variables are nested beyond `QUERY_MAX_DEPTH`; split it.'),
  'too-large': query(
    'It has too many characters, tokens, clauses, fields or filter conditions (fragments expanded); split it.',
  ),
  'too-costly': query('Its estimate is beyond `QUERY_MAX_COST`; it was not run. Ask for smaller pages.'),
  'too-many-rows': query('It found more than `QUERY_MAX_ROWS`; ask for pages.'),
  'answer-too-large': query('Its answer is longer than `QUERY_MAX_BYTES`; ask for fewer fields, or for pages.'),
  'batch-too-large': batch('The answers before it in the batch are too long together; it was not made. Send it again.'),
  'too-much-memory': query(
    'It took more memory of Neo4j than a transaction may have or, if `retryable`, than the others left.',
  ),
  'too-many-queries': query('The agent has `QUERY_MAX_CONCURRENT` queries under way; send it when one is answered.', {
    retryable: true,
    http: 429,
    grpc: 8,
  }),

  // Queries.
  syntax: query('It is not GraphQL; `errors` say where.'),
  operation: query('There is not exactly one operation of the kind that the method takes.'),
  validation: query('It does not fit the schema; `errors` say where. Of a subscription -32012.'),
  'bad-argument': query('An argument has a value that it cannot have, such as a negative `first`.'),
  execution: query('Neo4j could not execute it; `status` is Neo4j’s code, or `errors` say where.'),
  untranslatable: query('The field cannot be asked in this way; the message says what can.'),
  'unsupported-language': query('The query language is not taken here; `supported` lists those that are.', {
    http: 501,
    grpc: 12,
  }),
  'refused-cypher': query('The Cypher has a `construct` that is not taken, at `position`.'),
  unconfined: query(
    'Concord could not make sure that it reads only what the caller may see; it was not run. Tell the operator.',
  ),
  'revision-not-reached': query('The graph did not reach `afterRevision` in time; ask again, or without it.', {
    retryable: true,
  }),
  'no-query': query('The language model made no query of the question that holds; `query` is the last one.'),
  'model-unavailable': query(
    'The language model does not answer, or not as it should. Try later, or ask by the skill `query`.',
    { retryable: true },
  ),

  // Updates.
  forbidden: violation('A rule forbids it; `rule` names it and `violations` say where.', {
    retryable: undefined,
  }),
  'closed-class': violation('The policy closes the class to the caller; `rule` names the policy’s rule.'),
  'closed-predicate': violation('The policy closes the predicate to the caller; `rule` names the policy’s rule.'),
  'closed-graph': update('The caller has no access to the graph.', { http: 403, grpc: 7 }),
  'foreign-agent': update('`sourceAgentId` is another agent than the caller.', { http: 403, grpc: 7 }),
  'limited-graphs': update('Who reviews or purges must see all graphs of the tenant.', { http: 403, grpc: 7 }),
  'limited-policy': update('Who purges must have nothing closed to it.', { http: 403, grpc: 7 }),
  'unknown-predicate': params('The vocabulary is closed and has no such predicate.'),
  'too-many-new-predicates': params('The update brings more predicates that Concord has not seen than `limit`.'),
  'outcome-unknown': update(
    'Neo4j went away, or its disk is full, while the update was committed: whether it was applied is not known. Send it again with the same `idempotencyKey`, which applies nothing twice. Without one it isn’t `retryable`: look first.',
    { retryable: true },
  ),
  'revision-conflict': update(
    'The graph has moved on from `expectedRevision`; nothing was applied. Read, and decide again.',
  ),
  'queue-full': update('Too many updates wait; nothing was applied. Send it again after `retryAfterMs`.', {
    retryable: true,
  }),
  'writes-held': update(
    'A backup is taken (`concord backup`); nothing was written. Send it again after `retryAfterMs`.',
    away,
  ),
  'unknown-proposal': update('There is no such proposal.'),
  'no-suppression': update(
    "Nothing is kept from coming back here: `SUPPRESSION_KEY` isn't set, or `SUPPRESSION` is off.",
  ),
  'not-pending': update('The proposal was decided already.'),

  // Subscriptions.
  'cursor-ahead': subscription(
    'The cursor is ahead of the change log, which ends at `newest`: it is of another graph, or of one before a restore.',
  ),
  'since-ahead': subscription('The time of `metadata.since` is in the future: the clock of the service says `now`.'),
  'cursor-too-old': subscription(
    'Changes after the cursor, or since the time, are gone; the log begins at `oldest`. Read the graph, then subscribe anew.',
  ),
  'slow-consumer': subscription('The stream was read more slowly than it changed; resume after the last event id.', {
    retryable: true,
  }),
  'too-many-subscriptions': subscription(
    'The agent, or all together, or one socket, have as many subscriptions as `limit`; end one, or try again later.',
    { retryable: true, http: 429, grpc: 8 },
  ),
  'too-many-live-queries': subscription(
    'The agent, or all together, follow as many live queries as `limit`; end one, or try again later.',
    { retryable: true, http: 429, grpc: 8 },
  ),
  'unknown-subscription': subscription('The agent has no such subscription with a receiver.'),
  'no-lasting-identity': subscription(
    'The caller came by a token, of which nothing stays once it has expired. A subscription with a receiver is made, and resumed, with an API key.',
  ),
  'webhooks-full': subscription(
    'The agent, or all together, have as many subscriptions with a receiver as `limit`; delete one.',
  ),

  // Tasks.
  'rate-limited': tooMany(
    'The address or the agent has made as many requests in this minute as `limit`, of the method or in all (`policy`). Send it again after `retryAfterMs`.',
  ),
  'quota-used': tooMany('The agent has made as many requests in a day as `limit` (`QUOTA_PER_DAY`).'),
  'model-budget-used': tooMany(
    'The agent has used as many tokens of the language model in a day as `limit` (`MODEL_TOKENS_PER_DAY`). Ask again after `retryAfterMs`; what is understood without the model is answered meanwhile.',
  ),
  'too-many-tasks': tooMany(
    'The agent, or all together, have as many tasks under way as `limit`; send it again later.',
  ),
  'too-many-streams': tooMany('The agent, or all together, have as many streams open as `limit`; send it again later.'),
  'too-many-sockets': tooMany(
    'The agent, or all together, have as many sockets open as `limit`; close one, or try again later.',
  ),
  'history-full': task(
    'The task has the messages that it may have (`TASK_MAX_HISTORY`, `TASK_MAX_HISTORY_BYTES`); begin another.',
    {
      http: 400,
      grpc: 9,
    },
  ),
  'too-many-requests': tooMany(
    'A socket has as many runs, or as many cancellations, under way as `limit`; send it again when one has ended.',
  ),
  'task-cancelled': task('The task of a run was cancelled (AgentOS).'),
  'task-failed': task('The task of a run failed and kept no error of its own; the details say what it says (AgentOS).'),
  'task-under-way': task(
    'The task is under way, and takes no message now: of those that answer its question the first goes on with it. Follow it, or wait for its end.',
  ),
  'unknown-interrupt': task('The thread has no task of this interrupt (AG-UI), or it is no longer kept; say it anew.'),
  'task-id-refused': params('No task can be begun under this id (`tasks/send`); choose another, such as a UUID.', {
    retryable: false,
  }),
  'message-id-taken': params('Another message has come from the sender under this `messageId` (ONE); choose another.', {
    retryable: false,
  }),
  'message-signature': params(
    'The message is signed by none of the keys that its sender is registered with, or was changed on its way (ONE).',
    { retryable: false },
  ),
  'message-encryption': params(
    'What the message says cannot be decrypted, is no JSON, or nothing encrypted is taken here (ONE, `AGENT_ENCRYPTION_KEY`).',
    { retryable: false },
  ),
  'unknown-correlation': task(
    'Nothing was asked of the sender under this `correlationId`, or it is answered already (ONE).',
  ),
  'artifact-too-large': task('The artifacts are longer than `TASK_MAX_ARTIFACT_BYTES`; ask for less.'),
  'push-configs-full': task('The task has as many push notification configurations as one may; delete one.'),

  // Agents that are registered.
  'unknown-agent': registry('There is no such agent, or it is of another tenant.', { http: 404, grpc: 5 }),
  'foreign-registration': forbidden(
    'Only the agent itself, who has registered it, and the scope `admin` may change or remove it. One that acts here already registers itself.',
  ),
  'own-agent-id': params(
    'The id is what an agent of Concord’s own (`concord`, a skill) or a path (`v1`) is called; choose another.',
    { retryable: false },
  ),
  'agents-full': registry('The tenant has as many agents registered as `limit` (`AGENTS_PER_TENANT`); remove one.'),
  'invalid-card': params('The agent card is of no protocol that is known here, or not valid; `issues` says where.'),
  'card-too-large': params('The agent card is longer than `limit` bytes.'),
  'card-unreachable': params(
    'The address of the agent card does not answer, or not with one: `status` is what it answered with. Redirects are not followed.',
    { retryable: true },
  ),
  'card-signature': params(
    'The agent card is signed by another key, or by one that is kept elsewhere than the card; give the `keys` that sign it.',
  ),
  'no-certificate': registry(
    'The agent is called with a client certificate that is not in `AGENT_CERTIFICATES`, or cannot be used there.',
  ),
  'no-secrets-key': registry('Credentials for agents are not taken here: `AGENT_SECRETS_KEY` is not set.'),

  // Delegations, in the status of their tasks.
  'replica-lost': task(
    'The replica that executed the task is gone, and nobody else can go on with it. Send it again.',
    {
      retryable: true,
    },
  ),
  'capability-mismatch': task('No agent that is registered, or not the one that is named, says that it can do it.'),
  'delegation-loop': task(
    'The delegation comes back to who has handed it on (`hops`), or was handed on more often than `limit`.',
  ),
  'delegation-deadline': task('The `deadline`, or else `DELEGATION_TIMEOUT_MS`, is over; the agent was told to stop.'),
  'agent-unreachable': task('The agent does not answer, or answers that it is overloaded. It has told of no task.', {
    retryable: true,
  }),
  'agent-refused': task('The agent answers with an error, or has rejected the task. `agentCode` is its error code.'),
  'agent-failed': task('The task has failed at the agent; `retryable` is as the agent says, where it does.', {
    retryable: undefined,
  }),
  'agent-cancelled': task('The task was cancelled at the agent.', { retryable: true }),
  'agent-lost': task(
    'The agent has taken the task, and is gone or knows of it no more. What it did before is not known.',
    { retryable: true },
  ),
  'agent-answer': task('What the agent answers is not of its protocol, or of another task.'),
  'delegation-unknown': task(
    'The replica died while it sent the message, and the agent cannot be asked whether it has come. Look before it is sent again.',
  ),

  // Workflows, in the status of their tasks.
  'workflow-invalid': params(
    'The workflow cannot be begun; `faults` names each fault with its step. Nothing was done.',
  ),
  'workflow-failed': task('Steps that are not optional have failed, or came after one that has; `steps` names them.'),
  'workflow-deadline': task(
    'The `deadline`, or else `WORKFLOW_TIMEOUT_MS`, is over. The steps under way were cancelled; those that have ended stay.',
  ),
  'workflow-results': task('The results that a step needs are longer than `WORKFLOW_MAX_RESULT_BYTES` together.'),
  'workflow-size': task(
    'What the steps were asked with and have made is longer than 32 times `WORKFLOW_MAX_RESULT_BYTES` together. The steps under way were cancelled; those that have ended stay.',
  ),
  'step-needed': task('The step needs another one, which has failed.'),
  'step-nothing': task('A reference of the step leads to nothing in the result of the other, and has no `default`.'),
  'step-items': task('What the step is to be done for each of is no list, or longer than its `max`.'),
  'step-rejected': task('The task of the step has ended as rejected; its status says why.'),
  'step-cancelled': task('The task of the step was cancelled.'),

  // Databases that are sources.
  'unknown-source': params('The tenant has no source of this name in `SOURCES`; `sources` names those that it has.'),
  'source-failed': task(
    'The source does not answer, or not as it should; `databaseCode` is its error code. The log tells more.',
    { retryable: true },
  ),
  'source-busy': task('The source is being introspected already.', { retryable: true }),
  'source-without-sql': task('The source takes no SQL, for nothing could end a statement there.'),
  'source-not-introspected': task(
    'Nothing is known of what the source is made of, so nobody can ask it in words: have it introspected first.',
  ),
  'source-without-history': params(
    'The question says when or how surely something was known; a source has neither history nor certainty.',
  ),
  'sql-refused': params(
    'The SQL is not one statement that only reads tables, or the database finds a fault in it (`databaseCode`).',
  ),
  'source-too-large': task('The source has more tables, columns or keys than are read.'),

  // Receivers of push notifications and of subscriptions, and the addresses of agent cards.
  'invalid-url': receiver('The address is no URL for it.'),
  'refused-address': receiver(
    'The address is not found, or private and not in `PUSH_ALLOW`, or, of an agent card, `AGENT_ALLOW`; the log tells which.',
  ),
  'https-required': receiver('The address is not reached over https.'),
  'invalid-header': receiver('The token or the credentials for the receiver cannot stand in a header.'),
} satisfies Record<string, ReasonEntry>;

/** In words for programs, what is wrong with a call. */
export type Reason = keyof typeof reasons;

export const isReason = (text: unknown): text is Reason => typeof text === 'string' && Object.hasOwn(reasons, text);

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
  const { retryable, ...entry } = reasons[reason];
  const data = { reason, ...(retryable !== undefined && { retryable }), ...details };
  return new ConcordError(code ?? entry.code, message, data, cause === undefined ? undefined : { cause });
}
