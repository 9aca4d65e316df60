import { StartupError } from '../../base/errors.ts';
import { type Difference, differencesBetween } from '../../vocabulary/differences.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import type { Database } from '../database/database.ts';
import { type KnownNames, knownNames } from '../names/dictionary.ts';
import { type Counted, count } from './doubts.ts';
import { installedVocabulary } from './installedVocabulary.ts';

/** A difference, and how much of the graph it hides. */
export interface Finding extends Omit<Difference, 'doubts'> {
  counts: Counted[];
  /** Whether something could not be counted in time. */
  isUncounted: boolean;
}

export interface CheckLimits {
  /** Whether fields that are as they were are looked at too. */
  everything: boolean;
  /** Most entities or statements that are looked at for one finding. */
  rows: number;
  /** For all of them. */
  timeoutMs: number;
}

/** What a start may take: it looks at what has changed, and at so much of it. */
export const atTheStart: CheckLimits = { everything: false, rows: 200_000, timeoutMs: 10_000 };

/**
 * Compares a vocabulary with the one that was served last, and counts what of the graph it hides. It only reads.
 * @returns undefined where none was recorded yet and there is nothing to compare with
 */
export async function checkVocabulary(
  database: Database,
  vocabulary: Vocabulary,
  { everything, rows, timeoutMs }: CheckLimits,
): Promise<Finding[] | undefined> {
  const before = await installedVocabulary(database);
  if (before === undefined && !everything) return undefined;
  const differences = differencesBetween(before, vocabulary, everything);
  if (differences.length === 0) return [];
  const limits = { rows, deadline: performance.now() + timeoutMs };
  const names = await knownNames(database);
  const findings: Finding[] = [];
  for (const { doubts, ...difference } of [...differences, ...unknownWas(vocabulary, before, names)]) {
    const counts: Counted[] = [];
    for (const doubt of doubts) {
      const counted = await count(database, doubt, names, limits);
      if (counted) counts.push(counted);
    }
    findings.push({ ...difference, counts, isUncounted: counts.length < doubts.length });
  }
  // A field that is as it was is nothing to tell unless something is hidden.
  return findings.filter((each) => differs(each) || hides(each) || each.isUncounted);
}

const differs = ({ change }: Finding) => change !== 'is as it was' && change !== 'is not known from before';

/** Whether statements are hidden, or it isn't known. */
export function hides({ counts, isUncounted }: Finding): boolean {
  return isUncounted || counts.some((each) => each.count > 0 || each.looked < each.total);
}

/** A `was` that nothing was ever said with is a slip: what it should keep would be hidden. */
function unknownWas(
  vocabulary: Vocabulary,
  before: Vocabulary | undefined,
  { labels, types }: KnownNames,
): Difference[] {
  if (before === undefined) return [];
  return vocabulary.classes.flatMap((each) => [
    ...(each.was === undefined || labels.has(each.was) ? [] : [slip(each.name, 'class', each.was)]),
    ...each.fields.flatMap((field) =>
      field.kind === 'inverse' || field.was === undefined || types.has(field.was)
        ? []
        : [slip(`${each.name}.${field.name}`, 'predicate', field.was)],
    ),
  ]);
}

function slip(what: string, kind: string, was: string): Difference {
  const change = `says that it was <${was}>, but the graph knows no such ${kind}`;
  return { what, change, doubts: [], mend: `'was' is the IRI, which a field keeps when it is renamed again` };
}

/** A start that is to be refused. Nothing of the new vocabulary has been written. */
export function refuseHidden(findings: Finding[]): void {
  const lines = findings.filter(hides).flatMap((each) => linesOf(each));
  if (lines.length === 0) return;
  throw new StartupError(
    [
      'The vocabulary has changed, and what the graph holds no longer fits it (VOCABULARY_CHECK=refuse).',
      ...lines,
      "'concord vocabulary diff' shows examples; VOCABULARY_CHECK=warn starts with it all the same.",
    ].join('\n'),
  );
}

/**
 * For people: what is otherwise, and below it how much it hides, by examples where they may be shown, and what mends
 * it.
 */
export function linesOf(finding: Finding, { examples = false } = {}): string[] {
  const { what, change, counts, isUncounted, mend } = finding;
  const lines = [`${what} ${change}`];
  for (const each of counts) {
    if (each.count === 0 && each.looked === each.total) continue;
    lines.push(`  ${sentenceOf(each)}`);
    if (!examples) continue;
    for (const { tenant, subject, object } of each.examples) {
      const shownObject = object === undefined ? '' : ` ${JSON.stringify(object)}`;
      lines.push(`    ${tenant}: ${subject}${shownObject}`);
    }
  }
  if (isUncounted) lines.push('  how many could not be counted in time');
  if (mend !== undefined && (lines.length > 1 || counts.length === 0)) lines.push(`  mend: ${mend}`);
  return lines;
}

const figure = (value: number) => value.toLocaleString('en-US');

const meanings: Record<Counted['of'], [one: string, many: string]> = {
  entities: ['entity is in no class', 'entities are in no class'],
  statements: ['statement is in no field', 'statements are in no field'],
  values: ['statement does not fit and is not shown', 'statements do not fit and are not shown'],
  'further values': ['further statement is not shown', 'further statements are not shown'],
  'further objects': ['object is one too many', 'objects are too many'],
};

function sentenceOf({ of, count: hidden, looked, total, convertible }: Counted): string {
  const [one, many] = meanings[of];
  const partly = looked < total ? `, of the first ${figure(looked)} of ${figure(total)}` : '';
  const most = Math.min(hidden, 1_000);
  const anew = convertible ? `; ${figure(convertible)} of ${figure(most)} convert without loss (--patches)` : '';
  return `${figure(hidden)} ${hidden === 1 ? one : many}${partly}${anew}`;
}
