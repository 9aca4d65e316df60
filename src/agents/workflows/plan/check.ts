import { quote } from '../../delegation/protocols/failures.ts';
import { circles } from './order.ts';
import { mostTasks, type Step } from './plan.ts';
import { isPointer } from './pointer.ts';
import {
  deepest,
  isWithin,
  longestPointer,
  mostReferences,
  type Reference,
  referencesIn,
  resultsNeeded,
  stepsBefore,
} from './references.ts';

/** Something that keeps a workflow from its start. */
export interface Fault {
  /** Absent for what is of the workflow as a whole. */
  step?: string;
  fault:
    | 'doubled-id'
    | 'unknown-step'
    | 'circle'
    | 'unknown-reference'
    | 'too-deep'
    | 'too-many-references'
    | 'too-many-tasks'
    | 'unknown-skill'
    | 'unknown-agent'
    | 'capability-mismatch'
    | 'delegation-loop'
    | 'missing-scope'
    | 'nothing-to-do';
  message: string;
}

/** All faults of a workflow that show without a look at the world. */
export function faultsOf(steps: readonly Step[]): Fault[] {
  const ids = new Set(steps.map(({ id }) => id));
  const before = new Map(steps.map((step) => [step.id, stepsBefore(step)] as const));
  return [
    ...doubled(steps),
    ...steps.flatMap((step) => unknownSteps(step, ids)),
    ...circles(before).map((circle): Fault => {
      const way = [...circle, circle[0]].join(' needs ');
      return { ...(circle[0] !== undefined && { step: circle[0] }), fault: 'circle', message: `A circle: ${way}` };
    }),
    ...steps.flatMap(oddReferences),
    ...tooManyTasks(steps),
  ];
}

function doubled(steps: readonly Step[]): Fault[] {
  const seen = new Set<string>();
  const told = new Set<string>();
  return steps.flatMap(({ id }): Fault[] => {
    if (!seen.has(id) || told.has(id)) {
      seen.add(id);
      return [];
    }
    told.add(id);
    return [{ step: id, fault: 'doubled-id', message: `Several steps have the id ${id}` }];
  });
}

function unknownSteps(step: Step, ids: ReadonlySet<string>): Fault[] {
  const results = new Set(resultsNeeded(step));
  return stepsBefore(step)
    .filter((each) => !ids.has(each))
    .map((each) => {
      const message = results.has(each) ? `It needs the result of ${each}` : `It comes after ${each}`;
      return { step: step.id, fault: 'unknown-step', message: `${message}, which is no step` };
    });
}

function oddReferences({ id: step, parameters, message, forEach }: Step): Fault[] {
  if (!isWithin([parameters, message], deepest)) {
    return [{ step, fault: 'too-deep', message: `What it says has more than ${deepest} levels` }];
  }
  const references = referencesIn([parameters, message]);
  if (references.length > mostReferences) {
    const told = `It has ${references.length} references, and ${mostReferences} are allowed`;
    return [{ step, fault: 'too-many-references', message: told }];
  }
  return references.flatMap((reference): Fault[] => {
    const said = oddIn(reference, forEach !== undefined);
    return said === undefined ? [] : [{ step, fault: 'unknown-reference', message: said }];
  });
}

function oddIn(reference: Reference, isForEach: boolean): string | undefined {
  if (reference.kind === 'parameter') {
    return `$parameter ${shown(reference.name)} is of no template`;
  }
  if (reference.kind === 'item' && !isForEach) return '$item is there only in a step with forEach';
  if (reference.kind === 'result' && typeof reference.step !== 'string') return '$result does not name a step';
  const { pointer } = reference;
  if (typeof pointer === 'string' && pointer.length > longestPointer) {
    return `A JSON Pointer is longer than ${longestPointer} characters`;
  }
  if (typeof pointer === 'string' && isPointer(pointer)) return undefined;
  return `${shown(pointer)} is no JSON Pointer`;
}

const shown = (value: unknown) => quote(JSON.stringify(value) ?? 'undefined');

function tooManyTasks(steps: readonly Step[]): Fault[] {
  const tasks = steps.reduce((sum, { forEach }) => sum + (forEach?.max ?? 1), 0);
  if (tasks <= mostTasks) return [];
  const message = `Its steps are up to ${tasks} tasks, and ${mostTasks} are allowed; a forEach counts as its max`;
  return [{ fault: 'too-many-tasks', message }];
}
