import { isLiteral, type Statement } from '../../graph/statements/statement.ts';
import type { UpdateRecord } from '../../graph/updates/updateRecord.ts';
import type { Patch } from '../patch.ts';

/** What is to be erased: all that is said of an entity, or only its statements with one predicate. */
export interface Erasure {
  subject: string;
  predicate?: string;
}

/** What is left of a change after an erasure. */
interface Remains {
  /** Absent where nothing is left. */
  statement?: Statement;
  previous?: Statement[];
  /** Whether a statement of it is erased. */
  isTouched: boolean;
  /** Statements about others as they were, whose provenance named the entity and is gone. */
  stripped: Statement[];
  /** Statements about others whose literal names the entity: they are left as they are. */
  naming: Statement[];
}

/** Whether a statement is erased. */
export function isAbout({ subject, predicate, object }: Statement, erasure: Erasure): boolean {
  if (erasure.predicate !== undefined) return subject.id === erasure.subject && predicate.id === erasure.predicate;
  return subject.id === erasure.subject || (!isLiteral(object) && object.id === erasure.subject);
}

/** What an erasure leaves of a change. */
export function remainsOf(
  { statement, previous }: { statement: Statement; previous?: Statement[] },
  erasure: Erasure,
): Remains {
  const all = [statement, ...(previous ?? [])];
  if (isAbout(statement, erasure)) return { isTouched: true, stripped: [], naming: [] };
  const kept = previous?.filter((each) => !isAbout(each, erasure));
  const others = all.filter((each) => !isAbout(each, erasure));
  const stripped = others.filter(({ provenance }) => mentions(provenance, erasure));
  const strip = (each: Statement) => (stripped.includes(each) ? withoutProvenance(each) : each);
  return {
    statement: strip(statement),
    ...(kept && { previous: kept.map(strip) }),
    isTouched: kept?.length !== previous?.length,
    stripped,
    naming: others.filter(({ object }) => isLiteral(object) && mentions(object.value, erasure)),
  };
}

/** Whether what an update's agent and the rules said of it is erased, and a proposal that waits is with it. */
export function isUpdateErased(update: UpdateRecord, erasure: Erasure): boolean {
  const patches: Patch[] = update.status === 'pending' ? JSON.parse(update.proposal) : [];
  if (patches.some(({ statement }) => isAbout(statement, erasure))) return true;
  const isNamed = (update.namedIds ?? []).includes(erasure.subject);
  // Of what was rejected only the entities are known, and not the predicates.
  if (erasure.predicate !== undefined) return update.status === 'rejected' && isNamed;
  return (
    isNamed ||
    (update.status === 'applied' && update.affectedIds.includes(erasure.subject)) ||
    mentions([update.justification, update.verificationDetails, update.idempotencyKey, patches], erasure)
  );
}

/**
 * Whether a text within a value names the entity, as a word of its own: `urn:a` isn't in `urn:ab`. Only an IRI can be
 * told from other words, and only a whole erasure looks for it.
 */
export function mentions(value: unknown, { subject, predicate }: Erasure): boolean {
  if (predicate !== undefined || !subject.includes(':')) return false;
  const name = subject.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const word = new RegExp(`(?<![\\p{L}\\p{N}_#/:.~%@-])${name}(?![\\p{L}\\p{N}_#/%@~-]|[.:?&=][\\p{L}\\p{N}_])`, 'u');
  const isIn = (each: unknown): boolean => {
    if (typeof each === 'string') return word.test(each);
    if (typeof each !== 'object' || each === null) return false;
    return Object.entries(each).some(([key, member]) => isIn(key) || isIn(member));
  };
  return isIn(value);
}

function withoutProvenance({ provenance: _, ...statement }: Statement): Statement {
  return statement;
}
