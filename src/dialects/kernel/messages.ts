import { z } from 'zod';
import { optional, text } from '../../knowledge/patch.ts';

/*
 * What goes over the wire in the first A2A (April 2025), as far as the agents of `agentic-kernel-a2a.md` speak it.
 * Members that it doesn't know are passed over; an absent member may be written as null.
 */

const most = 2 ** 31 - 1;
const id = text(512).refine((value) => value.trim() !== '', 'is empty');
const metadata = optional(z.record(z.string(), z.unknown(), 'is not an object'));
const name = optional(text(1_024));
const anyText = z.string('is not a text');
const mode = text(256);

/** Base64, as RFC 4648 has it in sections 4 and 5; padding may be left out. */
const base64 = anyText.refine((value) => /^[A-Za-z0-9+/_-]*={0,2}$/.test(value), 'is not base64');

const textPart = z.object({ type: z.literal('text'), text: anyText, metadata });

const dataPart = z.object({
  type: z.literal('data'),
  data: z.record(z.string(), z.unknown(), 'is not an object'),
  metadata,
});

/** A file: its bytes, or where it is to be had. */
const filePart = z.object({
  type: z.literal('file'),
  file: z
    .object({ name, mimeType: name, bytes: optional(base64), uri: optional(text(2_048)) })
    .refine(
      ({ bytes, uri }) => (bytes === undefined) !== (uri === undefined),
      "has both or neither of 'bytes' and 'uri'; give exactly one",
    ),
  metadata,
});

const part = z.discriminatedUnion('type', [textPart, dataPart, filePart], "is none of 'text', 'data' and 'file'");
export type Part = z.input<typeof part>;

/** Messages have no ids. */
const message = z.object({
  role: z.enum(['user', 'agent'], "is neither 'user' nor 'agent'"),
  parts: z.array(part, 'is not a list').min(1, 'is empty'),
  metadata,
});
export type Message = z.input<typeof message>;
export type MessageGiven = z.output<typeof message>;

/** Where push notifications go, and what they show there. Of the schemes the first counts. */
const pushNotificationConfig = z.object({
  url: text(2_048),
  token: optional(text(8_192)),
  authentication: optional(z.object({ schemes: z.array(text(1_024)).max(100), credentials: optional(text(8_192)) })),
});
export type PushNotificationConfig = z.input<typeof pushNotificationConfig>;
export type PushNotificationConfigGiven = z.output<typeof pushNotificationConfig>;

/** How many of the last messages of a task are wanted: none if absent. */
const historyLength = optional(
  z
    .number(`is not a whole number from 0 to ${most}`)
    .refine(
      (value) => Number.isInteger(value) && value >= 0 && value <= most,
      `is not a whole number from 0 to ${most}`,
    ),
);

/** `tasks/send`, `tasks/sendSubscribe`. */
export const sendParams = z.object({
  /** The task's, chosen by the client; without it, the service chooses one. */
  id: optional(id),
  /** Puts tasks together; without it, the service chooses one. */
  sessionId: optional(text(512)),
  /** Its role has to be `user`. */
  message: message.refine(({ role }) => role === 'user', "is of the role 'agent'; a client sends messages of 'user'"),
  /** Media types that the client can read, or kinds of parts. */
  acceptedOutputModes: optional(z.array(mode, 'is not a list').max(100)),
  pushNotification: optional(pushNotificationConfig),
  historyLength,
  metadata,
});
export type SendParams = z.output<typeof sendParams>;

/** `tasks/get`. */
export const getParams = z.object({ id, historyLength, metadata });

/** `tasks/cancel`, `tasks/resubscribe`, `tasks/pushNotification/get`. */
export const idParams = z.object({ id, metadata });

/** `tasks/pushNotification/set`, and the result of both methods. */
export const pushParams = z.object({ id, pushNotificationConfig });
export type TaskPushNotificationConfig = z.input<typeof pushParams>;

/** `rejected` and `auth-required` are younger: they are told as `failed` and `input-required`. */
export type TaskState = 'submitted' | 'working' | 'input-required' | 'completed' | 'canceled' | 'failed' | 'unknown';

export interface TaskStatus {
  state: TaskState;
  message?: Message;
  /** ISO 8601. */
  timestamp: string;
}

export interface Artifact {
  name?: string;
  description?: string;
  parts: Part[];
  /** Which of the task's, from 0. */
  index: number;
  /** Of an event: the parts come behind those that the artifact has. */
  append?: boolean;
  /** Of an event: nothing more comes of the artifact. */
  lastChunk?: boolean;
  metadata?: Record<string, unknown>;
}

export interface Task {
  id: string;
  sessionId: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  /** Absent where none of it is asked for. */
  history?: Message[];
  metadata?: Record<string, unknown>;
}

export interface StatusEvent {
  id: string;
  status: TaskStatus;
  /** Whether it is the stream's last event. */
  final: boolean;
  metadata?: Record<string, unknown>;
}

export interface ArtifactEvent {
  id: string;
  artifact: Artifact;
  metadata?: Record<string, unknown>;
}
