import { z } from 'zod';
import { ConcordError, StartupError } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { withDeadline } from '../../base/withDeadline.ts';
import type { Config } from '../../config/config.ts';
import type { RateLimits } from '../../limits/rateLimits.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import type { AnswerFormat, Model, ModelAnswer, ModelMessage } from './model.ts';
import { estimated, type Tokens, tokensOf } from './tokens.ts';

type ModelConfig = Pick<
  Config,
  'MODEL_URL' | 'MODEL_NAME' | 'MODEL_KEY' | 'MODEL_TIMEOUT_MS' | 'MODEL_PRICE_INPUT' | 'MODEL_PRICE_OUTPUT'
>;

export interface ModelParts {
  instruments: Pick<Instruments, 'modelTokens' | 'modelDuration' | 'modelCost'>;
  /** Absent where nothing is limited. */
  rates: RateLimits | undefined;
}

/** Bytes of an answer. */
const longestAnswer = 200_000;
/** What an endpoint without structured output answers where it is asked for. */
const unsupported = new Set([400, 422]);

const answer = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.unknown().optional(),
});
type Completion = z.output<typeof answer>;

/** A completion, and the bytes that it took. */
interface Completed {
  completion: Completion;
  tokens: Tokens;
}

/** A model behind `POST <url>/chat/completions`. */
class ChatModel {
  /** Whether the endpoint has structured output, as far as is known. */
  private isStructured = true;
  private readonly address: string;
  private readonly headers: Record<string, string>;

  constructor(
    private readonly name: string,
    url: string,
    private readonly config: ModelConfig,
    private readonly parts: ModelParts,
  ) {
    this.address = `${url.replace(/\/+$/, '')}/chat/completions`;
    const { MODEL_KEY: key } = config;
    this.headers = {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
  }

  readonly say: Model = async (messages, { principal, signal }, format) => {
    const { rates } = this.parts;
    const expected = estimated(Buffer.byteLength(JSON.stringify(messages)));
    await rates?.admitTokens(principal, expected);
    const started = performance.now();
    let fault: string | undefined;
    try {
      const { completion, tokens } = await this.completed(messages, format, signal);
      rates?.settleTokens(principal, tokens.input + tokens.output - expected);
      this.account(tokens);
      return said(completion);
    } catch (error) {
      fault = faultOf(error, signal);
      signal.throwIfAborted();
      throw error instanceof ConcordError ? error : unavailable('cannot be reached', error);
    } finally {
      const labels = { ...this.labels(), ...(fault !== undefined && { 'error.type': fault }) };
      this.parts.instruments.modelDuration.record((performance.now() - started) / 1_000, labels);
    }
  };

  /** With structured output where the endpoint has it; one that refuses it isn't asked for it again. */
  private async completed(
    messages: ModelMessage[],
    format: AnswerFormat | undefined,
    signal: AbortSignal,
  ): Promise<Completed> {
    return withDeadline(this.config.MODEL_TIMEOUT_MS, signal, async (within) => {
      const wished = this.isStructured ? format : undefined;
      const first = await this.post(messages, wished, within);
      if (first !== undefined) return first;
      const second = await this.post(messages, undefined, within);
      if (second === undefined) throw unavailable('refuses the request');
      this.isStructured = false;
      return second;
    });
  }

  /** @returns undefined where the endpoint refuses what it was sent */
  private async post(
    messages: ModelMessage[],
    format: AnswerFormat | undefined,
    signal: AbortSignal,
  ): Promise<Completed | undefined> {
    const wished = format && { response_format: { type: 'json_schema', json_schema: { ...format, strict: true } } };
    const body = JSON.stringify({ model: this.name, messages, ...wished });
    // A redirect would carry the key elsewhere.
    const request: RequestInit = { method: 'POST', headers: this.headers, body, redirect: 'error', signal };
    const response = await fetch(this.address, request);
    if (!response.ok) {
      await response.body?.cancel();
      if (unsupported.has(response.status)) return undefined;
      throw unavailable(`answers with status ${response.status}`);
    }
    const { value, bytes } = await jsonOf(response);
    const parsed = answer.safeParse(value);
    if (!parsed.success) throw unavailable('answers what is no chat completion');
    return {
      completion: parsed.data,
      tokens: tokensOf(parsed.data.usage, { sent: Buffer.byteLength(body), said: bytes }),
    };
  }

  private account({ input, output }: Tokens): void {
    const { modelTokens, modelCost } = this.parts.instruments;
    const labels = this.labels();
    modelTokens.record(input, { ...labels, 'gen_ai.token.type': 'input' });
    modelTokens.record(output, { ...labels, 'gen_ai.token.type': 'output' });
    const { MODEL_PRICE_INPUT: price, MODEL_PRICE_OUTPUT: priceOfOutput } = this.config;
    const cost = (input * (price ?? 0) + output * (priceOfOutput ?? 0)) / 1_000_000;
    if (cost > 0) modelCost.add(cost, labels);
  }

  private labels() {
    return {
      'gen_ai.operation.name': 'chat' as const,
      'gen_ai.provider.name': 'openai' as const,
      'gen_ai.request.model': this.name,
    };
  }
}

function said({ choices: [first] }: Completion): ModelAnswer {
  const refusal = first?.message.refusal;
  return {
    text: first?.message.content ?? '',
    isCut: first?.finish_reason === 'length',
    refuses: (typeof refusal === 'string' && refusal !== '') || first?.finish_reason === 'content_filter',
  };
}

/** A label of few values. */
function faultOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'cancelled';
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'timeout';
  return error instanceof ConcordError ? String(error.data.reason) : 'unreachable';
}

/** What is no JSON, or too long, is undefined: the endpoint is a stranger, and its answer is read as it comes. */
async function jsonOf({ body }: Response): Promise<{ value: unknown; bytes: number }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > longestAnswer) return { value: undefined, bytes };
    chunks.push(chunk);
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString()), bytes };
  } catch {
    return { value: undefined, bytes };
  }
}

/**
 * The model of the settings, if there is one.
 * @throws StartupError where one of the two that it needs is missing
 */
export function configuredModel(config: ModelConfig, parts: ModelParts): Model | undefined {
  const { MODEL_URL: url, MODEL_NAME: name, MODEL_KEY: key } = config;
  if (url === undefined && name === undefined && key === undefined) return undefined;
  if (url === undefined || name === undefined)
    throw new StartupError('A language model needs both MODEL_URL and MODEL_NAME');
  return new ChatModel(name, url, config, parts).say;
}

/** What the endpoint itself says isn't told: it may name accounts or keys. */
function unavailable(what: string, cause?: unknown): ConcordError {
  return refuse(
    'model-unavailable',
    `The language model ${what}; try again later, or ask by the skill query`,
    {},
    { cause },
  );
}
