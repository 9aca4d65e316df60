import { z } from 'zod';
import { optional, text } from '../../knowledge/patch.ts';

/*
 * What goes over the wire in the dialect of `text-to-sql-a2a.md`. Members of a request that it doesn't know are passed
 * over; an absent member may be written as null.
 */

const anyText = z.string('is not a text');
const anything = z.record(z.string(), z.unknown(), 'is not an object');
const metadata = optional(anything);
const name = optional(text(1_024));
const id = text(512).min(1, 'is empty');

/** Base64, as RFC 4648 has it in sections 4 and 5; padding may be left out. */
const base64 = anyText.regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'is not base64');

/** A file: its bytes, or where it is to be had. */
const content = { name, mime_type: name, data: optional(base64), uri: optional(text(2_048)), metadata };
const oneOfBoth = ({ data, uri }: { data?: string | undefined; uri?: string | undefined }) =>
  (data === undefined) !== (uri === undefined);
const notOne = "has both or neither of 'data' and 'uri'; give exactly one";

const part = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text: anyText, metadata }),
    z.object({ type: z.literal('data'), data: anything, schema_name: name, metadata }),
    z.object({ type: z.literal('file'), ...content }).refine(oneOfBoth, notOne),
    z.object({ type: z.literal('image'), ...content }).refine(oneOfBoth, notOne),
  ],
  "is none of 'text', 'data', 'file' and 'image'",
);
export type PartGiven = z.output<typeof part>;

const message = z.object({
  id: optional(id),
  role: z.enum(['user', 'assistant', 'system'], "is none of 'user', 'assistant' and 'system'"),
  parts: z.array(part, 'is not a list').min(1, 'is empty'),
  timestamp: optional(text(64)),
  metadata,
});

const messages = z
  .array(message, 'is not a list')
  .min(1, 'is empty')
  .max(1_000, 'has more than 1000 messages')
  .refine((all) => all.at(-1)?.role === 'user', "does not end with a message of the role 'user'");

/** `POST /tasks/send`, `POST /tasks/sendSubscribe`. */
export const sendRequest = z.object({
  /** The last message asks; those before it are its conversation. */
  input: z.object({ messages }),
  /** Of a task that waits for input, to go on with. */
  task_id: optional(id),
  /** Puts tasks together; without it, the service chooses one. */
  context_id: optional(text(512)),
  metadata,
});
export type SendGiven = z.output<typeof sendRequest>;

/** What A2A calls rejected is `failed`, and what waits for credentials `input_required`. */
const status = z.enum(['created', 'in_progress', 'completed', 'failed', 'cancelled', 'input_required']);
export type Status = z.output<typeof status>;

/** The answer to `POST /tasks/send`. */
export const sent = z.strictObject({ task_id: z.string(), status });

const shown = z.record(z.string(), z.unknown()).optional();
const shownFile = {
  name: z.string().optional(),
  mime_type: z.string().optional(),
  data: z.string().optional(),
  uri: z.string().optional(),
  metadata: shown,
};

const shownPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), metadata: shown }),
  z.strictObject({
    type: z.literal('data'),
    data: z.record(z.string(), z.unknown()),
    schema_name: z.string().optional(),
    metadata: shown,
  }),
  z.strictObject({ type: z.literal('file'), ...shownFile }),
  z.strictObject({ type: z.literal('image'), ...shownFile }),
]);
export type Part = z.output<typeof shownPart>;

const artefact = z.strictObject({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  parts: z.array(shownPart),
  metadata: shown,
});
export type Artefact = z.output<typeof artefact>;

const shownMessage = z.strictObject({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  parts: z.array(shownPart),
  timestamp: z.string().optional(),
  metadata: shown,
});
export type Message = z.output<typeof shownMessage>;

const output = z.strictObject({ messages: z.array(shownMessage), artefacts: z.array(artefact) });
export type Output = z.output<typeof output>;

/** How far a task is: from 0 to 1, of an ended one 1, whatever its end. */
const state = z.strictObject({ status, progress: z.number().min(0).max(1), status_message: z.string() });
export type State = z.output<typeof state>;

/** The answer to `GET /tasks/{id}` and `POST /tasks/{id}/cancel`. */
export const taskAnswer = z.strictObject({
  task: z.strictObject({ id: z.string(), context_id: z.string(), state, output, metadata: shown }),
});
export type TaskAnswer = z.output<typeof taskAnswer>;

/** What is wrong with a request, and why a task has failed. */
export const fault = z.object({
  code: z.int(),
  message: z.string(),
  /** Such as `reason` and `retryable`; what else it holds, the reason says. */
  data: z.record(z.string(), z.unknown()),
});
export type Fault = z.output<typeof fault>;

/** The answer to a request that is refused. */
export const refusal = z.strictObject({ error: fault });

const told = { task_id: z.string(), ...state.shape };

/** The events of `POST /tasks/sendSubscribe`, by name. Behind one with `output` none comes. */
export const taskEvents = {
  task_progress: z.strictObject({
    ...told,
    /** What has come of it since: as a whole, or `append`ed to what was told of it before. */
    artefact: artefact.extend({ append: z.boolean() }).optional(),
    output: output.optional(),
  }),
  task_complete: z.strictObject({ ...told, output }),
  task_error: z.strictObject({ ...told, error: fault, output: output.optional() }),
};

/** An event as it is sent. */
export type TaskEvent = {
  [Name in keyof typeof taskEvents]: { event: Name; data: z.output<(typeof taskEvents)[Name]> };
}[keyof typeof taskEvents];

/** The answer to `GET /agent-card`. */
export const agentCard = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Concord's. */
  version: z.string(),
  capabilities: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      /** JSON Schema, draft 2020-12: what a data part that asks for it holds beside `skill`. */
      parameters: z.record(z.string(), z.unknown()),
      /** A data part that asks for it. */
      example: z.record(z.string(), z.unknown()),
    }),
  ),
  streaming: z.boolean(),
  /** Tasks of one agent at a time. */
  max_concurrent_tasks: z.int(),
  supported_formats: z.array(z.string()),
});
export type AgentCard = z.output<typeof agentCard>;
