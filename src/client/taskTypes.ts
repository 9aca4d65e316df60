/** Where a task stands; A2A 1.0, section 4.1.3. */
export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_AUTH_REQUIRED'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_REJECTED';

/** A piece of a message or artifact: text, JSON, or a file by its address or in base64. */
export type Part = (
  | { text: string; data?: undefined; url?: undefined; raw?: undefined }
  | { data: unknown; text?: undefined; url?: undefined; raw?: undefined }
  | { url: string; text?: undefined; data?: undefined; raw?: undefined }
  | { raw: string; text?: undefined; data?: undefined; url?: undefined }
) & { mediaType?: string; filename?: string; metadata?: Record<string, unknown> };

export interface Message {
  messageId: string;
  role: 'ROLE_USER' | 'ROLE_AGENT';
  parts: Part[];
  contextId?: string;
  taskId?: string;
  referenceTaskIds?: string[];
  extensions?: string[];
  metadata?: Record<string, unknown>;
}

/** A message to send; it is given an id if it has none. With a `taskId` it goes on with that task. */
export type MessageInput = Omit<Message, 'messageId' | 'role'> & { messageId?: string };

export interface TaskStatus {
  state: TaskState;
  message?: Message;
  /** ISO 8601, UTC. */
  timestamp?: string;
}

export interface Artifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: Part[];
  extensions?: string[];
  metadata?: Record<string, unknown>;
}

/** A2A 1.0, section 4.1.1. */
export interface Task {
  id: string;
  contextId: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  history?: Message[];
  metadata?: Record<string, unknown>;
}

export interface StatusUpdate {
  taskId: string;
  contextId: string;
  status: TaskStatus;
  metadata?: Record<string, unknown>;
}

export interface ArtifactUpdate {
  taskId: string;
  contextId: string;
  artifact: Artifact;
  /** Whether the parts come behind those of the artifact that are there. */
  append?: boolean;
  lastChunk?: boolean;
  metadata?: Record<string, unknown>;
}

/**
 * What a message is answered with: the task that it began or went on with, or a message where there is nothing to do.
 */
export type SendResult = { task: Task; message?: undefined } | { message: Message; task?: undefined };

/** An event of a task; the StreamResponse of A2A 1.0, section 3.2.3: one of its members is there. */
export interface TaskEvent {
  task?: Task;
  message?: Message;
  statusUpdate?: StatusUpdate;
  artifactUpdate?: ArtifactUpdate;
}

/** Who is told of a task by push notifications; A2A 1.0, section 4.3.1. */
export interface PushReceiver {
  url: string;
  id?: string;
  /** Comes with each notification. */
  token?: string;
  authentication?: { scheme: string; credentials?: string };
}

export interface TaskPage {
  tasks: Task[];
  /** Empty on the last page. */
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}
