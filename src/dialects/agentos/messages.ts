import { z } from 'zod';
import { identifier, longestId, optional, text } from '../../knowledge/patch.ts';

/** JSON-RPC's own name of a request. */
const requestId = z.union([z.string(), z.number(), z.null()]);

/** Params of `run`; AgentOS 0.3.0, section 3. What it doesn't know, it passes over. */
export const runParams = z.looseObject({
  /** What is to be done, in the words or in the language of the skill. */
  task: text(100_000).min(1, 'is empty'),
  /** The fields of the skill that the card describes stand here beside these. */
  context: optional(
    z.looseObject({
      /** The same when the run is sent again. */
      request_id: optional(text(200).min(1, 'is empty')),
      /** The caller's own id. */
      caller_id: optional(identifier),
      /** Which skill is to run, where the agent has several. */
      skill: optional(text(longestId)),
      /** A task that waits for input, to go on with. */
      task_id: optional(text(512)),
      /** A conversation, to go on with. */
      context_id: optional(text(512)),
    }),
  ),
});

/** Params of `cancel`, over a socket: a run of the same socket, or a task. */
export const cancelParams = z
  .looseObject({
    /** The `id` of the request that runs. */
    run: requestId.optional(),
    task_id: optional(text(512).min(1, 'is empty')),
  })
  .refine(({ run, task_id }) => (run === undefined) !== (task_id === undefined), {
    path: ['task_id'],
    error: 'or run is given, one of the two',
  });

/** Params of `unsubscribe`, over a socket. Those of `subscribe` are the params of `knowledge/subscribe`. */
export const unsubscribeParams = z.looseObject({ subscription: text(100).min(1, 'is empty') });

const part = z.union([
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('data'), data: z.unknown() }),
  z.strictObject({
    type: z.literal('file'),
    name: z.string(),
    mime_type: z.string(),
    /** Base64. */
    bytes: z.string().optional(),
    uri: z.string().optional(),
  }),
]);

export type Part = z.output<typeof part>;

const artifact = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  parts: z.array(part),
});

export type Artifact = z.output<typeof artifact>;

/** The task that a run is, as it stands over A2A. */
const taskState = z.strictObject({
  id: z.string(),
  context_id: z.string(),
  state: z.enum([
    'submitted',
    'working',
    'input-required',
    'completed',
    'canceled',
    'failed',
    'rejected',
    'auth-required',
    'unspecified',
  ]),
});

export type TaskState = z.output<typeof taskState>;

/** The result of `run`; AgentOS 0.3.0, section 3. */
export const runResult = z.strictObject({
  /** For people. */
  content: z.string(),
  /** Tools of the caller's that were called: Concord calls none. */
  tool_calls: z.array(z.never()),
  artifacts: z.array(artifact),
  /** Absent where nothing was begun: the agent only says something. */
  task: taskState.optional(),
});

export type RunResult = z.output<typeof runResult>;

/** Params of the notification `progress`. */
export const progressParams = z.strictObject({
  /** The `id` of the request that runs. */
  run: requestId,
  task: taskState,
  content: z.string().optional(),
  /** For programs, beside the text. */
  data: z.unknown().optional(),
  /** A whole artifact, or with `append` the parts that come behind those before it. */
  artifact: artifact.extend({ append: z.boolean() }).optional(),
});

export type Progress = Omit<z.output<typeof progressParams>, 'run'>;

/** The result of `cancel`. */
export const cancelResult = z.strictObject({ task: taskState });

/** The result of `subscribe`. */
export const subscribeResult = z.strictObject({
  subscription: z.string(),
  /** What it starts after, as `metadata.afterSequence` takes it. */
  cursor: z.string().optional(),
});

/** Params of the notification `event`. */
export const eventParams = z.strictObject({
  subscription: z.string(),
  /** What to resume after behind it. */
  cursor: z.string().optional(),
  /** As `knowledge/subscribe` has it. */
  event: z.looseObject({}),
});

/** Params of the notification `unsubscribed`: a subscription that the service ends, and why. */
export const unsubscribedParams = z.strictObject({ subscription: z.string(), error: z.looseObject({}) });
