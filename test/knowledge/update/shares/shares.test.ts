import { expect, test } from '@jest/globals';
import { NotAligned } from '../../../../src/knowledge/update/commit.ts';
import { Crowd } from '../../../../src/knowledge/update/shares/crowd.ts';
import { type Shares, takeGroup } from '../../../../src/knowledge/update/shares/fairGroup.ts';
import { Offenders } from '../../../../src/knowledge/update/shares/offenders.ts';
import { WriteQueue } from '../../../../src/knowledge/update/writeQueue.ts';
import { gate } from '../../../support/gate.ts';

/** A proposal of an agent, named by it and its number. */
const proposals = (agent: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: `${agent}${n}`,
    proposal: { patches: [{} as never], update: { sourceAgentId: agent } },
  }));
const shares = (said: Partial<Shares> = {}): Shares => ({
  isCrowded: () => false,
  isApart: () => false,
  isTurnOfApart: false,
  ...said,
});
const taken = (queue: ReturnType<typeof proposals>, said?: Partial<Shares>) =>
  takeGroup(queue, shares(said)).entries.map(({ name }) => name);

test('while others propose too an agent has eight of a group, in its order, and the others are not behind it', () => {
  const queue = [...proposals('a', 100), ...proposals('b', 2)];
  const isCrowded = () => true;
  expect(taken(queue, { isCrowded })).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b0', 'b1']);
  expect(taken(queue, { isCrowded })).toEqual(['a8', 'a9', 'a10', 'a11', 'a12', 'a13', 'a14', 'a15']);
  // Alone it has the group to itself.
  expect(taken(queue)).toHaveLength(84);
  expect(queue).toEqual([]);
});

test('who is apart comes one by one, behind the others until it is its turn, and at once where nobody else waits', () => {
  const queue = [...proposals('bad', 3), ...proposals('a', 2), ...proposals('b', 1)];
  const isApart = (agent: string) => agent === 'bad';
  expect(taken(queue, { isApart, isTurnOfApart: true })).toEqual(['bad0']);
  expect(taken(queue, { isApart })).toEqual(['a0', 'a1', 'b0']);
  expect(taken(queue, { isApart })).toEqual(['bad1']);
  expect(takeGroup(queue, shares({ isApart }))).toMatchObject({ isApart: true, entries: [{ name: 'bad2' }] });
});

test('one of eight proposals of the last 32 that breaks rules makes an offender, and 32 good ones none', () => {
  const offenders = new Offenders();
  const note = (violations: number, good: number) => {
    for (let n = 0; n < violations; n++) offenders.note('a', true);
    for (let n = 0; n < good; n++) offenders.note('a', false);
    return offenders.has('a');
  };
  expect(note(3, 0)).toBe(false);
  expect(offenders.has('b')).toBe(false);
  expect(note(1, 28)).toBe(true);
  expect(note(0, 1)).toBe(false);
  expect(note(4, 0)).toBe(true);
  expect(note(0, 32)).toBe(false);
});

test('a tenant is crowded for an agent for two seconds after another of that tenant', () => {
  let now = 0;
  const crowd = new Crowd(() => now);
  for (const [tenant, agent] of ['north a', 'north a', 'south b'].map((said) => said.split(' ') as [string, string]))
    crowd.note(tenant, agent);
  expect(['a', 'b'].map((agent) => crowd.isCrowded('north', agent))).toEqual([false, true]);
  crowd.note('north', 'b');
  now = 1_999;
  for (let times = 0; times < 3; times++) crowd.note('north', 'a');
  expect(crowd.isCrowded('north', 'a')).toBe(true);
  now = 2_000;
  expect(crowd.isCrowded('north', 'a')).toBe(false);
});

test('whose every second proposal breaks a rule is soon committed apart, and the groups of others are whole', async () => {
  const groups: string[][] = [];
  const queue = new WriteQueue({
    maxWaiting: 1_000,
    committer: {
      commit: async (_, group) => {
        const names = group.map(({ update }) => update.id);
        groups.push(names);
        await new Promise((resolve) => setImmediate(resolve));
        const broken = names.flatMap((name, index) => (name.startsWith('broken') ? [[index, []] as const] : []));
        if (broken.length > 0) throw new NotAligned(new Map(broken.map(([index]) => [index, []])));
        return names as never;
      },
    },
  });
  const send = (id: string, agent: string) =>
    queue.commit({ tenant: 'north', patches: [], update: { id, sourceAgentId: agent } } as never);
  const over = gate();
  let isOver = false;
  const keepOn = async (agent: string, name: (turn: number) => string) => {
    for (let turn = 0; !isOver; turn++) {
      await send(name(turn), agent).catch(() => {});
      if (agent === 'a' && turn === 60) over.open();
    }
  };
  const all = [
    ...['a', 'b', 'c'].map((agent) => keepOn(agent, (turn) => `${agent}${turn}`)),
    ...Array.from({ length: 10 }, () => keepOn('bad', (turn) => (turn % 2 ? 'broken' : 'fine'))),
  ];
  await over.opened;
  isOver = true;
  await Promise.all(all);
  const isBad = (name: string) => name === 'broken' || name === 'fine';
  const late = groups.slice(-60);
  // Its own are alone, and have a ninth of the groups at most while others wait.
  expect(late.filter((group) => group.some(isBad) && group.length > 1)).toEqual([]);
  const apart = groups.slice(60, -20).filter((group) => group.some(isBad)).length;
  expect(apart).toBeGreaterThan(0);
  expect(apart).toBeLessThanOrEqual(Math.ceil((groups.length - 80) / 9) + 1);
});
