import type { Random } from '../../graph/qualify/random.ts';
import { schemaOrg, world } from '../../support/patches.ts';
import { type Log, type LoggedRow, type LoggedStatement, lineOf } from './log.ts';

type Test = (change: LoggedRow, classes: Log['classes']) => boolean;

/** A `where`, and what it means, said once more without anything of the feed. */
interface Condition {
  where: Record<string, unknown>;
  test: Test;
  /** Whether it asks for operations. */
  asksOp?: boolean;
}

/** What one subscriber asks for. */
export interface Filter extends Condition {
  /** Of the statements; absent where any will do. */
  requiredCertainty?: number;
}

/** What writers and editors speak of. */
export const subjects = ['urn:shared:1', 'urn:shared:2', 'urn:shared:3', 'urn:shared:4', 'urn:own:agent-0'];
const predicates = [`${schemaOrg}name`, ...['nativeName', 'population', 'borders'].map((each) => world + each)];
export const country = `${schemaOrg}Country`;

const textOf = ({ object }: LoggedStatement) => String(object.value ?? object.id);
const numberOf = ({ object: { value } }: LoggedStatement) => (typeof value === 'number' ? value : Number.NaN);
const certaintyOf = ({ certainty = 1 }: LoggedStatement) => certainty;

const simple: ((random: Random) => Condition)[] = [
  () => ({ where: {}, test: () => true }),
  (random) => {
    const id = random.pick(subjects);
    return { where: { subject: { eq: id } }, test: ({ statement }) => statement.subject.id === id };
  },
  (random) => {
    const ids = random.some(subjects, 0.5);
    return { where: { subject: { in: ids } }, test: ({ statement }) => ids.includes(statement.subject.id) };
  },
  (random) => {
    const iris = random.some(predicates, 0.5);
    return { where: { predicate: { in: iris } }, test: ({ statement }) => iris.includes(statement.predicate.id) };
  },
  (random) => {
    const graph = random.pick(['urn:g', null]);
    return { where: { graph: { eq: graph } }, test: ({ statement }) => (statement.graph ?? null) === graph };
  },
  (random) => {
    const bound = 1 + random.below(3);
    return { where: { object: { lte: bound } }, test: ({ statement }) => numberOf(statement) <= bound };
  },
  (random) => {
    const text = random.pick(['a', 'b', '1', 'urn:island']);
    return { where: { object: { eq: text } }, test: ({ statement }) => textOf(statement) === text };
  },
  (random) => {
    const bound = random.pick([0.3, 0.7, 1]);
    return { where: { certainty: { gte: bound } }, test: ({ statement }) => certaintyOf(statement) >= bound };
  },
  () => ({
    where: { subject: { type: { eq: country } } },
    test: ({ statement }, classes) => classes.get(statement.subject.id) === country,
  }),
  () => ({
    where: { object: { type: { eq: country } } },
    test: ({ statement: { object } }, classes) => object.id !== undefined && classes.get(object.id) === country,
  }),
  (random) => {
    const agents = ['direct:neo4j', ...random.some(['agent-0', 'agent-1', 'agent-2', 'agent-3', 'agent-4'], 0.7)];
    return { where: { sourceAgentId: { in: agents } }, test: ({ sourceAgentId }) => agents.includes(sourceAgentId) };
  },
  (random) => {
    const ops = random.pick([['remove'], ['add', 'replace']]);
    return { where: { op: { in: ops } }, test: ({ op }) => ops.includes(op), asksOp: true };
  },
];

function conditionOf(random: Random, depth = 0): Condition {
  if (depth === 2 || random.chance(0.6)) return random.pick(simple)(random);
  const parts = Array.from({ length: 2 }, () => conditionOf(random, depth + 1));
  const asksOp = parts.some((each) => each.asksOp);
  const wheres = parts.map(({ where }) => where);
  const tests = parts.map(({ test }) => test);
  const combine = random.pick([
    { where: { and: wheres }, test: (...of: Parameters<Test>) => tests.every((test) => test(...of)), asksOp },
    { where: { or: wheres }, test: (...of: Parameters<Test>) => tests.some((test) => test(...of)), asksOp },
  ]);
  if (random.chance(0.7)) return combine;
  return { where: { not: combine.where }, test: (...of) => !combine.test(...of), asksOp };
}

/** A filter of a subscriber's own. @param isBounded whether it may have a bound, which a socket has not */
export function filterOf(random: Random, isBounded: boolean): Filter {
  const condition = conditionOf(random);
  return isBounded && random.chance(0.3) ? { ...condition, requiredCertainty: random.pick([0.5, 0.9]) } : condition;
}

/**
 * What a subscriber with this filter is to be told after a sequence number, a line for each change: what meets it as it
 * is, and of what met it and gives place to what doesn't the removal (docs/subscribe.md).
 */
export function expectedLines({ changes, classes }: Log, filter: Filter, after: number): string[] {
  const { requiredCertainty, asksOp, test } = filter;
  const isCertain = (statement: LoggedStatement) => certaintyOf(statement) >= (requiredCertainty ?? 0);
  return changes.flatMap((change) => {
    if (change.sequence <= after) return [];
    const { statement, previous } = change;
    const line = (op: string, { subject, predicate, object }: LoggedStatement) =>
      lineOf({ ...change, op }, [subject.id, predicate.id, object]);
    const meets = isCertain(statement) && test(change, classes);
    if (asksOp || previous.length === 0) return meets ? [line(change.op, statement)] : [];
    const met = previous.filter(
      (each) => isCertain(each) && test({ ...change, op: 'remove', statement: each }, classes),
    );
    // What rises above the bound is new to who asks for it.
    if (meets) return [line(requiredCertainty !== undefined && met.length === 0 ? 'add' : change.op, statement)];
    return met[0] ? [line('remove', met[0])] : [];
  });
}
