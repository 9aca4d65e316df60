import type { Principal } from '../../security/principal.ts';

export interface ModelMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** What a model has said. */
export interface ModelAnswer {
  text: string;
  /** Whether it was cut off where it has become too long. */
  isCut: boolean;
  /** Whether the model, or who runs it, refuses to answer. */
  refuses: boolean;
}

/** A JSON Schema that an answer is to meet, where the endpoint has structured output. */
export interface AnswerFormat {
  name: string;
  schema: object;
}

/**
 * Says what comes next in a conversation. Its tokens are of the principal's budget.
 * @throws ConcordError -32010 `model-unavailable`, -32600 `model-budget-used`
 */
export type Model = (
  messages: ModelMessage[],
  call: { principal: Principal; signal: AbortSignal },
  format?: AnswerFormat,
) => Promise<ModelAnswer>;
