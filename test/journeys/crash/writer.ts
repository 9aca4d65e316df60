import { setTimeout as sleep } from 'node:timers/promises';
import type { UpdateResult } from '../../../src/knowledge/propose.ts';
import type { Random } from '../../graph/qualify/random.ts';
import type { Patch } from '../../knowledge/model/model.ts';
import { schemaOrg, world } from '../../support/patches.ts';
import { type Answer, call } from '../../support/service.ts';

/** An update that its agent knows to be done. */
export interface Acknowledged {
  agent: string;
  idempotencyKey: string;
  patches: Patch[];
  /** Several, if it was sent several times at once. */
  results: UpdateResult[];
}

/** What all writers have in common. */
export interface Writing {
  url: string;
  acknowledged: Acknowledged[];
  /** What no agent should ever be answered. */
  faults: string[];
  /** Attempts of which the agent can't know what became of them. */
  unanswered: number;
  /** Once it is, each ends the update that it is at. */
  isOver: boolean;
  /** Aborts when the run has failed. */
  signal: AbortSignal;
}

/** Longer than any answer takes; what hangs is given up and sent again. */
const patienceMs = 60_000;

/** One agent that sends one update after another, each until it is acknowledged, for it can't know what became of the attempts before. */
export async function write(agent: string, random: Random, writing: Writing): Promise<void> {
  for (let turn = 1; !writing.isOver; turn++) {
    const patches = randomPatches(random, agent, turn);
    const idempotencyKey = `${agent} ${turn}`;
    const send = () => acknowledgement(agent, idempotencyKey, patches, writing);
    // An impatient agent doesn't wait for the first answer.
    const results = await Promise.all(random.chance(0.1) ? [send(), send()] : [send()]);
    writing.acknowledged.push({ agent, idempotencyKey, patches, results });
  }
}

async function acknowledgement(
  agent: string,
  idempotencyKey: string,
  patches: Patch[],
  writing: Writing,
): Promise<UpdateResult> {
  const { url, faults, signal } = writing;
  const params = { mutations: patches, sourceAgentId: agent, metadata: { idempotencyKey } };
  for (;;) {
    const answer = await attempt(url, params);
    if (answer?.result?.success) return answer.result;
    if (answer === undefined || isPassing(answer)) writing.unanswered += 1;
    else faults.push(`${idempotencyKey}: ${JSON.stringify(answer)}`);
    signal.throwIfAborted();
    await sleep(250);
  }
}

/** The answer, or undefined where there was nobody to give it. */
async function attempt(url: string, params: object): Promise<Answer<UpdateResult> | undefined> {
  return Promise.race([
    call<UpdateResult>(url, 'knowledge/update', params).catch(() => undefined),
    sleep(patienceMs, undefined, { ref: false }),
  ]);
}

function isPassing({ error }: Answer<UpdateResult>): boolean {
  return error?.code === -32011 && error.data.retryable === true;
}

const xsd = 'http://www.w3.org/2001/XMLSchema#';
const word = (value: string) => ({ value, type: `${xsd}string` });
const number = (value: number) => ({ value, type: `${xsd}integer` });
const shared = ['urn:shared:1', 'urn:shared:2', 'urn:shared:3', 'urn:shared:4'];

/** Some patches over what all writers speak of, and mostly one about what is the agent's own, which tells its turns apart. */
function randomPatches(random: Random, agent: string, turn: number): Patch[] {
  const patches = Array.from({ length: 1 + random.below(4) }, () => randomPatch(random, agent));
  if (random.chance(0.2)) return patches;
  const own = {
    subject: { id: `urn:own:${agent}` },
    predicate: { id: `${world}population` },
    object: number(turn),
  };
  return [...patches, { op: random.chance(0.5) ? 'replace' : 'add', statement: own }];
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
