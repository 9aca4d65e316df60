import type { Artifact, Task } from '@a2a-js/sdk';
import type { z } from 'zod';
import type { Principal } from '../security/principal.ts';

/** One execution of a skill. */
export interface SkillCall {
  principal: Principal;
  /** Aborted when the task is cancelled, takes too long, or the service drains; not when its caller goes away. */
  signal: AbortSignal;
  /** W3C trace id, 32 hex digits. */
  traceId?: string;
  taskId: string;
  contextId: string;
  /** The task as it was, on a follow-up. */
  task?: Task;
  /** Says how far it is while it works: in words, and in data. */
  tell(text: string, data: object): void;
  /**
   * Publishes an artifact, or a further part of one, while it works. @throws ConcordError `artifact-too-large` for one
   * part
   */
  publish(artifact: GrowingArtifact): void;
}

/** An artifact of one data part. */
export interface DataArtifact extends Pick<Artifact, 'name' | 'description'> {
  data: object;
}

/** An artifact that a skill publishes a part at a time. What the task keeps of it is the skill's to bound. */
export interface GrowingArtifact extends DataArtifact {
  /** The same for all parts of one artifact. */
  id: string;
  /** Whether the part comes after those before it, or replaces them. */
  append: boolean;
}

/** What a message says of itself. */
export interface Sender {
  /** The same when it is sent again. */
  requestId: string | undefined;
  /** The agent that it comes from. */
  agentId: string | undefined;
}

/** What comes of a skill. */
export interface SkillOutcome {
  state: 'completed' | 'input-required' | 'rejected' | 'failed';
  artifacts: DataArtifact[];
  /** For people. */
  text: string;
  /** For programs, beside the text in the status message. */
  data?: object;
}

/**
 * A structured skill. A message asks for it with a data part whose `skill` is its name; the part's other fields are its
 * input. It throws ConcordError for what the caller may know; anything else is a fault of Concord's.
 */
export interface Skill {
  /** What it does, in one line. */
  summary: string;
  /** A data part that asks for it. */
  example: object;
  /** Whether it has a limit of time of its own, in the place of that of tasks. */
  endsItself?: boolean;
  /** What its input is checked by; absent where any object will do. */
  parameters?: z.ZodType;
  /** The field of its input that a text alone stands for. */
  textField?: string;
  /** Puts what a message says of itself where the input has a field for it, and leaves it out. */
  signed?(input: Record<string, unknown>, sender: Sender): Record<string, unknown>;
  run(input: Record<string, unknown>, call: SkillCall): Promise<SkillOutcome>;
}

/** The skills, by name. */
export type Skills = ReadonlyMap<string, Skill>;
