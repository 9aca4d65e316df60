import { getOrInsert } from '../../base/getOrInsert.ts';
import { addField, linkOf, type Made, type PathStep, wordsOf } from './tableWords.ts';

/** Steps of a way that nobody names one by one. */
const furthest = 3;
/** Tables beyond which such ways are not looked for. */
const mostTables = 200;

interface Way {
  to: Made;
  /** What the last link is called. */
  name: string;
  steps: PathStep[];
}

/**
 * Links over several foreign keys, where each leads to one row: the artist of a track is that of its album. Only where
 * one way is the shortest, and nothing else is called so; with the way back where that too has but one meaning.
 */
export function addFarLinks(made: Map<string, Made>): void {
  if (made.size > mostTables) return;
  const byName = new Map([...made.values()].map((each) => [each.definition.name, each]));
  const direct = new Map([...made.values()].map((each) => [each, waysOf(each, byName)]));
  const found = [...made.values()].flatMap((owner) => farFrom(owner, direct).map((way) => ({ owner, way })));
  for (const { owner, way } of found) {
    if (!addField(owner, linkOf(way.name, way.to, {}), way.steps)) continue;
    const back = { kind: 'inverse' as const, name: wordsOf(owner.of.table.path[1]), of: way.name };
    addField(way.to, { ...back, target: owner.definition.name }, reversed(way.steps, owner));
  }
}

/** Links of a foreign key: their ends have one row for each of their beginnings. */
function waysOf({ definition, of }: Made, byName: Map<string, Made>): Way[] {
  return definition.fields.flatMap((field) => {
    const source = of.fields.get(field.name);
    const to = field.kind === 'link' && !field.list ? byName.get(field.target) : undefined;
    return to && source?.kind === 'path' ? [{ to, name: field.name, steps: source.steps }] : [];
  });
}

function farFrom(owner: Made, direct: Map<Made, Way[]>): Way[] {
  const reached = new Set([owner, ...(direct.get(owner) ?? []).map(({ to }) => to)]);
  const far: Way[] = [];
  let last = direct.get(owner) ?? [];
  for (let length = 2; length <= furthest && last.length > 0; length++) {
    const next = new Map<Made, Way[]>();
    for (const way of last)
      for (const further of direct.get(way.to) ?? [])
        if (!reached.has(further.to))
          getOrInsert(next, further.to, () => []).push({ ...further, steps: [...way.steps, ...further.steps] });
    for (const to of next.keys()) reached.add(to);
    last = [...next.values()].flatMap((ways) => (ways.length === 1 ? ways : []));
    far.push(...last);
  }
  return far;
}

function reversed(steps: PathStep[], owner: Made): PathStep[] {
  const tables = [owner.of.table.path, ...steps.slice(0, -1).map(({ table }) => table)];
  return steps
    .map(
      ({ on }, at): PathStep => ({
        table: tables[at] ?? owner.of.table.path,
        on: on.map(({ before, here }) => ({ before: here, here: before })),
      }),
    )
    .reverse();
}
