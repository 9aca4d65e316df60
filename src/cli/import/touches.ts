import type { Draft } from './batch.ts';

/**
 * What a batch touches, to tell whether it may be sent beside another. Links that are added at one place (a subject's
 * predicate in a graph) are a set, whichever comes first. Literals are not: of equally certain ones the newer is shown.
 * Nor is what replaces or removes.
 */
export class Touches {
  /** Slots where it matters what was there before. */
  private readonly ordered = new Set<string>();
  /** Slots of links that are added. */
  private readonly linked = new Set<string>();
  /** Those links. */
  private readonly links = new Set<string>();

  constructor(drafts: readonly Draft[]) {
    for (const { patch } of drafts) {
      const { subject, predicate, object, graph } = patch.statement;
      const place = JSON.stringify([subject.id, predicate.id, graph ?? null]);
      if (patch.op === 'add' && 'id' in object) {
        this.linked.add(place);
        this.links.add(`${place}${object.id}`);
      } else this.ordered.add(place);
    }
  }

  /** Whether what comes out depends on which of both comes first. */
  needsOrderWith(other: Touches): boolean {
    return (
      meet(this.ordered, other.ordered) ||
      meet(this.ordered, other.linked) ||
      meet(this.linked, other.ordered) ||
      meet(this.links, other.links)
    );
  }
}

function meet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const each of one) if (other.has(each)) return true;
  return false;
}
