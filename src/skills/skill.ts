import type { Artifact, Message, Part, Task } from '@a2a-js/sdk';
import type { z } from 'zod';
import type { Queryable } from '../graph/database/queryable.ts';
import type { Principal } from '../security/principal.ts';

/** What is written beside a task. */
export type Beside = (tx: Queryable) => PromiseLike<unknown>;

/** One execution of a skill. */
export interface SkillCall {
  principal: Principal;
  /** Aborted when the task is cancelled, takes too long, or the service drains; not when its caller goes away. */
  signal: AbortSignal;
  /** W3C trace id, 32 hex digits. */
  traceId?: string;
  taskId: string;
  contextId: string;
  /** What asks for it. */
  message: Message;
  /** The task as it was, on a follow-up. */
  task?: Task;
  /** Says how far it is while it works: in words, and in data. */
  tell(text: string, data: object): void;
  /**
   * Publishes an artifact, or a further part of one, while it works. @throws ConcordError `artifact-too-large` for one
   * part
   */
  publish(artifact: GrowingArtifact | GrowingParts): void;
  /**
   * Resolves once the task is in the database, and what is given was written in the same transaction, after what was
   * given before. It may be run twice.
   */
  kept(beside?: Beside): Promise<void>;
  /** Has something written in the next transaction of the task, of which the end is one. */
  alongside(beside: Beside): void;
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

/** An artifact of whichever parts, a few at a time. */
export interface GrowingParts extends Pick<GrowingArtifact, 'id' | 'append' | 'name' | 'description'> {
  parts: Part[];
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

/** Which task. */
interface SkillTask {
  tenant: string;
  id: string;
}

/** A skill whose tasks outlive the replica that executes them, since what they wait for is elsewhere. */
export interface LastingSkill {
  /** Goes on with a task that waits, whatever a further message says. */
  goOn(call: SkillCall): Promise<SkillOutcome | undefined>;
  /** Whether there is something to take up of a task whose replica is gone. */
  isLasting(task: SkillTask): Promise<boolean>;
  /** Takes up such a task. The principal has its agent and tenant, and no scopes: those are not kept. */
  takeUp(call: SkillCall): Promise<SkillOutcome | undefined>;
  /** Told that a task was cancelled that nobody executed. */
  cancelled(task: SkillTask): Promise<void>;
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
  /** Whether running it changes nothing, so that it may be run for a task that comes to be refused. */
  readsOnly?: boolean;
  /** Whether it has a limit of time of its own, in the place of that of tasks. */
  endsItself?: boolean;
  /** What its input is checked by; absent where any object will do. */
  parameters?: z.ZodType;
  /** The field of its input that a text alone stands for. */
  textField?: string;
  /** Puts what a message says of itself where the input has a field for it, and leaves it out. */
  signed?(input: Record<string, unknown>, sender: Sender): Record<string, unknown>;
  /** @returns undefined where the replica is closing and another takes up the task: then nothing is said of it */
  run(input: Record<string, unknown>, call: SkillCall): Promise<SkillOutcome | undefined>;
  lasting?: LastingSkill;
}

/** The skills, by name. */
export type Skills = ReadonlyMap<string, Skill>;
