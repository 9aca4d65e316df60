import type { ChangeEvent, Subscription } from '../src/client/index.ts';
import { type Agent, state } from './agents.ts';
import { claim } from './claims.ts';
import { country, predicates } from './names.ts';
import { type Screen, short } from './screen.ts';

const patienceMs = 30_000;

/** The data lets Sri Lanka border India, but not India Sri Lanka: its only border that holds in one direction alone. */
const change = claim(country('IND'), predicates.borders, country('LKA'), 0.5);

const subscription = `subscription ($subject: String!, $predicate: String!) {
  statementChanged(where: {subject: {eq: $subject}, predicate: {eq: $predicate}, sourceAgentId: {eq: "scout"}}) { op }
}`;
const variables = { subject: country('IND').id, predicate: predicates.borders };

/**
 * Step 4: a change arrives at a subscriber. In a graph that has the change from an earlier run, the subscriber asks for what it
 * missed and gets it from the change log.
 */
export async function follow(scout: Agent, atlas: Agent, screen: Screen): Promise<void> {
  screen.step('A change arrives at a subscriber');
  screen.line(`${atlas.id} subscribes to what ${scout.id} says about the borders of India.`);
  const signal = AbortSignal.timeout(patienceMs);
  const live = atlas.concord.subscribe(subscription, variables, { signal });
  try {
    await live.ready();
    const arriving = first(live);
    // If an earlier run has made the change, this wait ends with the subscription, and nobody waits for it.
    arriving.catch(() => {});
    const changed = await state(scout, [change], 'Sri Lanka borders India, so India borders Sri Lanka');
    const answeredAt = performance.now();
    if (changed === 0) return await catchUp(scout, atlas, screen, signal);
    const { event, at } = await arriving;
    screen.line(`${scout.id} states it, with certainty 0.5: India borders Sri Lanka. ${atlas.id} gets`);
    show(event, screen);
    // The event and the answer travel apart; either may be first.
    const after = at - answeredAt;
    screen.line(`${milliseconds(after)} ${after < 0 ? 'before' : 'after'} ${scout.id} has its answer.`);
  } finally {
    await live.return();
  }
}

async function catchUp(scout: Agent, atlas: Agent, screen: Screen, signal: AbortSignal): Promise<void> {
  const askedAt = performance.now();
  const missed = atlas.concord.subscribe(subscription, variables, { signal, after: 0 });
  try {
    const { event, at } = await first(missed);
    screen.line(
      `${scout.id}'s change is in the graph since an earlier run, so nothing new comes. ${atlas.id} asks for`,
    );
    screen.line('what it missed, from the beginning of the change log (Last-Event-ID: 0), and gets');
    show(event, screen);
    screen.line(`${milliseconds(at - askedAt)} after it asked.`);
  } finally {
    await missed.return();
  }
}

/** The first event, and when it came. */
async function first(events: Subscription): Promise<{ event: ChangeEvent; at: number }> {
  const { value: event } = await events.next();
  if (event) return { event, at: performance.now() };
  throw new Error(`The change did not arrive within ${patienceMs / 1_000} s`);
}

function show({ op, statement, timestamp, changeMetadata }: ChangeEvent, screen: Screen): void {
  const { subject, predicate, object, certainty } = statement;
  const objectText = 'id' in object ? object.id : String(object.value);
  screen.table([
    ['  event', `${changeMetadata.sequence}, of ${timestamp}`],
    ['  change', short(`${op} ${subject.id} ${predicate.id} ${objectText}, certainty ${certainty}`)],
    ['  by', `${changeMetadata.sourceAgentId}: ${changeMetadata.justification}`],
  ]);
}

function milliseconds(duration: number): string {
  return `${Math.abs(duration).toFixed(1)} ms`;
}
