import { getOrInsert } from '../base/getOrInsert.ts';
import { isLiteral, type LiteralObject, type Subject } from '../graph/statements/statement.ts';
import type { Classes } from '../graph/statements/statementReader.ts';
import type { LoggedChange } from '../graph/updates/changeLog.ts';
import { containsPart } from './containsPart.ts';

/** One condition of a `where`: a value that must be equal, or a list that must hold it. Both given, both must hold. */
interface Condition {
  eq?: string | null;
  in?: string[] | null;
}

/** A condition on an entity: on its id, and on its class. */
export interface EntityCondition extends Condition {
  /** The IRI of the class that the graph has for it, or that the change gives it. */
  type?: Condition | null;
}

/** Bounds of a value. Numbers are compared with numbers, times with times, other text by its characters. */
interface Bounds<Bound> {
  lt?: Bound | null;
  lte?: Bound | null;
  gt?: Bound | null;
  gte?: Bound | null;
}

/** A condition on an object: on the id and the class of an entity, or on a literal. */
export interface ObjectCondition extends EntityCondition, Bounds<LiteralObject['value']> {
  /** Of a literal that is text. */
  startsWith?: string | null;
  contains?: string | null;
  endsWith?: string | null;
}

/** The argument of `statementChanged(where:)`; all that is given must hold. */
export interface ChangeWhere {
  and?: ChangeWhere[] | null;
  /** One of them at least; of none, nothing. */
  or?: ChangeWhere[] | null;
  not?: ChangeWhere | null;
  op?: Condition | null;
  subject?: EntityCondition | null;
  predicate?: Condition | null;
  object?: ObjectCondition | null;
  graph?: Condition | null;
  sourceAgentId?: Condition | null;
  taskId?: Condition | null;
  updateId?: Condition | null;
  /** 0 to 1; a statement without a certainty is certain. */
  certainty?: Bounds<number> | null;
}

/** @param classes of the entities of the change, where they are known */
type Test = (change: LoggedChange, classes?: Classes) => boolean;

/** A `where` as a test of changes. */
export interface ChangeFilter {
  /** The same of equal conditions. */
  key: string;
  test: Test;
  /** Whether a change may pass it as somebody is told it, who sees only part of it (`changes/view.ts`). */
  touches: Test;
  /** The only subjects, and the only predicates, whose changes can pass; absent where any can. Each once. */
  subjects?: string[];
  predicates?: string[];
  /** The only classes of subjects whose changes can pass; absent where any can. */
  subjectClasses?: string[];
  /** Whether it asks for the classes of entities; where not, none need be known. */
  asksClasses: boolean;
  /** Whether it asks for operations, and so for changes as they were made. */
  asksOp: boolean;
}

/** Whether a change passes it, or may once the classes of its entities are known. */
export function mayPass(filter: ChangeFilter, change: LoggedChange): boolean {
  return filter.asksClasses || filter.touches(change);
}

/** Conditions within one `where`, those of `and`, `or` and `not` too. */
const maxConditions = 1_000;

/** Characters of one `where` as JSON, which is kept while anybody listens by it. */
const maxCharacters = 100_000;

/**
 * Compiles a `where` into a test of changes. `eq: null` means the default graph, or that a change has no such value.
 * @throws RangeError for more than 1,000 conditions or 100,000 characters, and for bounds that are none
 */
export function compileFilter(where: ChangeWhere | null | undefined): ChangeFilter {
  const key = JSON.stringify(where ?? {});
  if (key.length > maxCharacters) throw new RangeError(`Conditions of more than ${maxCharacters} characters`);
  const filter = new Compiler();
  const test = filter.all(where ?? {});
  const [subjects, predicates] = [wantedOf(where?.subject), wantedOf(where?.predicate)];
  const subjectClasses = wantedOf(where?.subject?.type);
  return {
    key,
    test,
    touches: (...of) => test(...of) || partsOf(of[0]).some((part) => test(part, of[1])),
    ...(subjects && { subjects }),
    ...(predicates && { predicates }),
    ...(subjectClasses && { subjectClasses }),
    asksClasses: filter.asksClasses,
    asksOp: filter.asksOp,
  };
}

const parts = new WeakMap<LoggedChange, LoggedChange[]>();

/** The parts of a change that takes the place of others: they go, and another comes. Made once for all filters. */
function partsOf(change: LoggedChange): LoggedChange[] {
  const { previous } = change;
  if (!previous) return [];
  return getOrInsert(parts, change, () => [
    { ...change, op: 'add' },
    ...previous.map((statement): LoggedChange => ({ ...change, op: 'remove', statement })),
  ]);
}

/** The values of which it wants one; undefined where any will do. */
function wantedOf(condition: Condition | null | undefined): string[] | undefined {
  if (typeof condition?.eq === 'string') return [condition.eq];
  return condition?.in ? [...new Set(condition.in)] : undefined;
}

const textOf: Record<
  'op' | 'predicate' | 'graph' | 'sourceAgentId' | 'taskId' | 'updateId',
  (of: LoggedChange) => string | undefined
> = {
  op: ({ op }) => op,
  predicate: ({ statement }) => statement.predicate.id,
  graph: ({ statement }) => statement.graph,
  sourceAgentId: ({ sourceAgentId }) => sourceAgentId,
  taskId: ({ taskId }) => taskId,
  updateId: ({ updateId }) => updateId,
};

class Compiler {
  asksClasses = false;
  asksOp = false;
  private conditions = 0;

  all(where: ChangeWhere): Test {
    this.conditions += 1;
    if (this.conditions > maxConditions) throw new RangeError(`More than ${maxConditions} conditions`);
    const { and, or, not, op, subject, object, certainty } = where;
    this.asksOp ||= Boolean(op);
    const others = or?.map((each) => this.all(each));
    const negated = not ? this.all(not) : undefined;
    return every([
      ...fieldTests(where),
      ...onText(subject, ({ statement }) => statement.subject.id),
      ...(subject ? this.entity(subject, ({ statement }) => statement.subject) : []),
      ...(object ? this.object(object) : []),
      ...(certainty ? [boundTest(certainty, ({ statement }) => statement.certainty ?? 1)] : []),
      ...(and ?? []).map((each) => this.all(each)),
      ...(others ? [(...of: Parameters<Test>) => others.some((test) => test(...of))] : []),
      ...(negated ? [(...of: Parameters<Test>) => !negated(...of)] : []),
    ]);
  }

  private entity({ type }: EntityCondition, of: (change: LoggedChange) => Subject | undefined): Test[] {
    const tests = textTests(type);
    if (tests.length === 0) return [];
    this.asksClasses = true;
    return [
      (change, classes) => {
        const entity = of(change);
        if (entity === undefined) return false;
        // The graph's word goes before the author's, who may claim another class for what has one.
        const known = classes?.get(entity.id)?.type ?? entity.type;
        return tests.every((test) => test(known));
      },
    ];
  }

  private object(condition: ObjectCondition): Test[] {
    return [
      ...onText(condition, ({ statement: { object } }) => (isLiteral(object) ? String(object.value) : object.id)),
      ...this.entity(condition, ({ statement: { object } }) => (isLiteral(object) ? undefined : object)),
      ...literalTests(condition),
    ];
  }
}

const every =
  (tests: readonly Test[]): Test =>
  (...of) =>
    tests.every((test) => test(...of));

function fieldTests(where: ChangeWhere): Test[] {
  return (Object.keys(textOf) as (keyof typeof textOf)[]).flatMap((field) => onText(where[field], textOf[field]));
}

function onText(condition: Condition | null | undefined, of: (change: LoggedChange) => string | undefined): Test[] {
  return textTests(condition).map((test) => (change) => test(of(change)));
}

type TextTest = (value: string | undefined) => boolean;

function textTests(condition: Condition | null | undefined): TextTest[] {
  if (!condition) return [];
  const wanted = 'eq' in condition ? (condition.eq ?? undefined) : undefined;
  const among = condition.in ? new Set(condition.in) : undefined;
  return [
    ...('eq' in condition ? [(value: string | undefined) => value === wanted] : []),
    ...(among ? [(value: string | undefined) => value !== undefined && among.has(value)] : []),
  ];
}

const comparisons = {
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
};

type Value = LiteralObject['value'];

/** What is bounded and has no value, or one of another kind, is within no bounds. */
function boundTest(bounds: Bounds<Value>, of: (change: LoggedChange) => Value | undefined): Test {
  const tests = (Object.keys(comparisons) as (keyof typeof comparisons)[]).flatMap((name) => {
    const bound = bounds[name];
    if (bound === undefined || bound === null) return [];
    // JSON has no word for what isn't finite: the key of the filter would be that of another.
    if (typeof bound !== 'string' && !Number.isFinite(bound)) throw new RangeError(`${name} takes a number or a text`);
    return [
      (value: Value) => {
        const order = compared(value, bound);
        return order !== undefined && comparisons[name](order);
      },
    ];
  });
  return (change) => {
    if (tests.length === 0) return true;
    const value = of(change);
    return value !== undefined && tests.every((test) => test(value));
  };
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Below 0, 0 or above it; undefined where the two aren't of a kind. */
function compared(one: Value, other: Value): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one !== 'string' || typeof other !== 'string') return undefined;
  if (time.test(one) && time.test(other)) return Date.parse(one) - Date.parse(other);
  return one < other ? -1 : one > other ? 1 : 0;
}

function literalTests(condition: ObjectCondition): Test[] {
  const { startsWith, contains, endsWith } = condition;
  const literalOf = ({ statement: { object } }: LoggedChange) => (isLiteral(object) ? object.value : undefined);
  const has = (part: string | null | undefined, test: (value: string, part: string) => boolean): Test[] =>
    typeof part !== 'string'
      ? []
      : [
          (change) => {
            const value = literalOf(change);
            return typeof value === 'string' && test(value, part);
          },
        ];
  return [
    boundTest(condition, literalOf),
    ...has(startsWith, (value, part) => value.startsWith(part)),
    ...has(contains, containsPart),
    ...has(endsWith, (value, part) => value.endsWith(part)),
  ];
}
