import type { Patch, Subject } from '../../client/index.ts';

/** A patch on its way into a batch: what is said of its statement may still change until the batch is closed. */
export interface Draft {
  line: number;
  patch: Patch;
  isClosed?: boolean;
}

/** Patches that are sent together. */
export interface Batch {
  /** Counted from 0: its place in the file. */
  index: number;
  drafts: Draft[];
}

/** Characters in one batch: far below the 16 MiB that a request may have. */
const maxWeight = 3_000_000;
/** New predicates that one update may bring. */
const maxNewPredicates = 100;

/** Cuts patches into batches, always at the same places of the same input. */
export class Batcher {
  private readonly predicates = new Set<string>();
  private readonly closed: Batch[] = [];
  private count = 0;
  private drafts: Draft[] = [];
  private mentions = new Map<string, Subject>();
  private weight = 0;
  private newPredicates = 0;

  /** @param size patches in a batch, at most */
  constructor(private readonly size: number) {}

  add(draft: Draft): void {
    const { statement } = draft.patch;
    const isNew = !this.predicates.has(statement.predicate.id);
    const weight = weightOf(draft.patch);
    const isFull =
      this.drafts.length >= this.size ||
      (this.drafts.length > 0 && this.weight + weight > maxWeight) ||
      (isNew && this.newPredicates >= maxNewPredicates);
    if (isFull) this.close();
    if (isNew) {
      this.predicates.add(statement.predicate.id);
      this.newPredicates += 1;
    }
    this.drafts.push(draft);
    this.weight += weight;
    for (const each of mentioned(draft.patch)) if (!this.mentions.has(each.id)) this.mentions.set(each.id, each);
  }

  /** Where the open batch names this entity first. */
  mention(id: string): Subject | undefined {
    return this.mentions.get(id);
  }

  /** The batches closed since it was last asked. */
  take(): Batch[] {
    return this.closed.splice(0);
  }

  /** Closes the open batch: the input has ended. */
  end(): void {
    if (this.drafts.length > 0) this.close();
  }

  private close(): void {
    for (const draft of this.drafts) draft.isClosed = true;
    this.closed.push({ index: this.count, drafts: this.drafts });
    this.count += 1;
    this.drafts = [];
    this.mentions = new Map();
    this.weight = 0;
    this.newPredicates = 0;
  }
}

/** The subject, and the object where it is an entity. */
export function mentioned({ statement: { subject, object } }: Patch): Subject[] {
  return 'id' in object ? [subject, object] : [subject];
}

function weightOf({ statement: { subject, predicate, object, provenance } }: Patch): number {
  const objectLength = 'id' in object ? object.id.length : String(object.value).length;
  const provenanceLength = provenance === undefined ? 0 : JSON.stringify(provenance).length;
  return 200 + subject.id.length + predicate.id.length + objectLength + provenanceLength;
}
