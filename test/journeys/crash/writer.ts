import { setTimeout as sleep } from 'node:timers/promises';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import type { Random } from '../../graph/qualify/random.ts';
import type { Patch } from '../../knowledge/model/model.ts';
import { schemaOrg, world } from '../../support/patches.ts';
import { type Answer, call } from '../../support/service.ts';
import { Tally } from '../../support/tally.ts';

/** An update that its agent knows to be done. */
export interface Acknowledged {
  agent: string;
  idempotencyKey: string;
  patches: Patch[];
  /** Several, if it was sent several times at once. */
  results: UpdateResult[];
}

/** What a run must have brought about, or it shows nothing. */
const claimed = [
  'attempt without an answer',
  'attempt refused for now',
  'update sent twice at once',
  'update applied',
  'update that changes nothing',
  'add',
  'replace',
  'remove',
] as const;

/** Who is killed while they write, where a run counts that here. */
type Kill = 'service killed' | 'Neo4j killed';

export type Occurrences = Tally<(typeof claimed)[number] | Kill>;

/** @param kills which the run must have brought about, too */
export const occurrences = (kills: readonly Kill[] = []): Occurrences => new Tally([...claimed, ...kills]);

/** What all writers have in common. */
export interface Writing {
  url: string;
  acknowledged: Acknowledged[];
  seen: Occurrences;
  /** One attempt of an agent at an update; by `knowledge/update`, as nobody, where it is absent. */
  send?(agent: string, params: object): Promise<Answer<UpdateResult>>;
  /** Between two updates of one agent. */
  pauseMs: number;
  /** Once it is, each ends the update that it is at. */
  isOver: boolean;
  /** Aborts when the run has failed. */
  signal: AbortSignal;
}

/** Longer than any answer takes; what hangs is given up and sent again. */
const patienceMs = 60_000;

/**
 * One agent that sends one update after another, each until it is acknowledged, for it can't know what became of the
 * attempts before.
 */
export async function write(agent: string, random: Random, writing: Writing): Promise<void> {
  for (let turn = 1; !writing.isOver; turn++) {
    const patches = randomPatches(random, agent, turn);
    const idempotencyKey = `${agent} ${turn}`;
    const send = () => acknowledgement(agent, idempotencyKey, patches, writing);
    // An impatient agent doesn't wait for the first answer.
    const isTwice = random.chance(0.1);
    const results = await Promise.all(isTwice ? [send(), send()] : [send()]);
    writing.acknowledged.push({ agent, idempotencyKey, patches, results });
    if (isTwice) writing.seen.add('update sent twice at once');
    for (const { op } of patches) writing.seen.add(op);
    const isApplied = results.some(({ updateId }) => updateId);
    writing.seen.add(isApplied ? 'update applied' : 'update that changes nothing');
    if (writing.pauseMs > 0) await sleep(writing.pauseMs);
  }
}

async function acknowledgement(
  agent: string,
  idempotencyKey: string,
  patches: Patch[],
  writing: Writing,
): Promise<UpdateResult> {
  const { signal, seen } = writing;
  const params = { mutations: patches, sourceAgentId: agent, metadata: { idempotencyKey } };
  for (;;) {
    const answer = await attempt(agent, params, writing);
    if (answer?.result?.success) return answer.result;
    if (answer === undefined) seen.add('attempt without an answer');
    else if (isPassing(answer, writing)) seen.add('attempt refused for now');
    // No agent should ever be answered so, and asking again would not end.
    else throw new Error(`${idempotencyKey} was answered ${JSON.stringify(answer)}`);
    signal.throwIfAborted();
    await sleep(250);
  }
}

/** The answer, or undefined where there was nobody to give it. */
async function attempt(
  agent: string,
  params: object,
  { url, send }: Writing,
): Promise<Answer<UpdateResult> | undefined> {
  return Promise.race([
    (send?.(agent, params) ?? call<UpdateResult>(url, 'knowledge/update', params)).catch(() => undefined),
    sleep(patienceMs, undefined, { ref: false }),
  ]);
}

/** Who comes by another way, or with credentials, may be refused in other words. */
function isPassing({ error }: Answer<UpdateResult>, { send }: Writing): boolean {
  return error?.data.retryable === true && (error.code === -32011 || send !== undefined);
}

const xsd = 'http://www.w3.org/2001/XMLSchema#';
const word = (value: string) => ({ value, type: `${xsd}string` });
const number = (value: number) => ({ value, type: `${xsd}integer` });
const shared = ['urn:shared:1', 'urn:shared:2', 'urn:shared:3', 'urn:shared:4'];

/**
 * Some patches over what all writers speak of, and mostly one about what is the agent's own, which tells its turns
 * apart.
 */
function randomPatches(random: Random, agent: string, turn: number): Patch[] {
  // Nothing that anybody has said: an update without any trace.
  if (random.chance(0.05)) return [{ op: 'remove', statement: ownStatement(agent, 0) }];
  const patches = Array.from({ length: 1 + random.below(4) }, () => randomPatch(random, agent));
  if (random.chance(0.2)) return patches;
  const statement = ownStatement(agent, turn);
  return [...patches, { op: random.chance(0.5) ? 'replace' : 'add', statement }];
}

function ownStatement(agent: string, turn: number): Patch['statement'] {
  return {
    subject: { id: `urn:own:${agent}` },
    predicate: { id: `${world}population` },
    object: number(turn),
  };
}

function randomPatch(random: Random, agent: string): Patch {
  const subject = random.chance(0.8) ? random.pick(shared) : `urn:own:${agent}`;
  const [predicate, objects] = random.pick([
    [`${schemaOrg}name`, ['a', 'b', 'c'].map(word)],
    [`${world}nativeName`, ['a', 'b', 'c', 'd'].map(word)],
    [`${world}population`, [1, 2, 3].map(number)],
    [`${world}borders`, [...shared, 'urn:island'].map((id) => ({ id }))],
    ['urn:p:free', [word('1'), number(1), { id: 'urn:island' }]],
  ] as const);
  const stamps = ['2020-01-01T00:00:00Z', '2021-05-05T12:30:00+02:00'];
  return {
    op: random.pick(['add', 'add', 'replace', 'remove'] as const),
    statement: {
      subject: { id: subject },
      predicate: { id: predicate },
      object: random.pick<Patch['statement']['object']>(objects),
      ...(random.chance(0.3) && { graph: 'urn:g' }),
      ...(random.chance(0.6) && { certainty: random.pick([0, 0.3, 0.7, 1]) }),
      ...(random.chance(0.3) && { provenance: { timestamp: random.pick(stamps) } }),
    },
  };
}
