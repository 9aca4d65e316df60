export type * from '../wire/agents.ts';
export type * from '../wire/types.ts';
export type {
  Agents,
  Delegation,
  ListAgentsOptions,
  ResultReference,
  Workflow,
  WorkflowCondition,
  WorkflowStep,
} from './agents.ts';
export {
  type BatchOptions,
  type BatchProgress,
  BatchRejectedError,
  type BatchResult,
  sendInBatches,
} from './batch.ts';
export type { AgentCard } from './card.ts';
export { ConcordClient, connect, type QueryOptions } from './client.ts';
export {
  AgentCardError,
  AlignmentViolationError,
  CapabilityError,
  ConcordClientError,
  ContentTypeNotSupportedError,
  type ErrorData,
  ExtendedAgentCardNotConfiguredError,
  ExtensionSupportRequiredError,
  InternalError,
  InvalidAgentResponseError,
  InvalidParamsError,
  InvalidRequestError,
  KnowledgeQueryError,
  KnowledgeSubscriptionError,
  KnowledgeUpdateError,
  MethodNotFoundError,
  ParseError,
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  TransportError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from './errors.ts';
export type { CallOptions, ClientOptions, HeaderSource, HeaderValues } from './options.ts';
export {
  add,
  type Extras,
  literal,
  type ObjectInput,
  remove,
  replace,
  type SubjectInput,
} from './patches.ts';
export { defaultRetry, type RetrySettings } from './retry.ts';
export type { ListOptions, Reviews } from './review.ts';
export {
  type CreateSubscriptionOptions,
  type SubscribeOptions,
  Subscription,
  type SubscriptionState,
  type Subscriptions,
} from './subscription.ts';
export type { ListTasksOptions, SendOptions, TaskStreamOptions, Tasks } from './tasks.ts';
export type * from './taskTypes.ts';
export { type PutOptions, type TypedClient, type TypedWriter, typed } from './typed.ts';
export type * from './vocabulary/model.ts';
export type { Select, Selected, Sort, Where } from './vocabulary/rows.ts';
