import { join } from './agents.ts';
import { callAnother } from './calling.ts';
import { addClaims } from './claims.ts';
import { follow } from './following.ts';
import { loadCountries } from './load.ts';
import { ask } from './question.ts';
import type { Screen } from './screen.ts';
import { tryTheRules } from './verdicts.ts';
import { runWorkflow } from './workflow.ts';

/** The agent whose proposals are held for review, as the service's AGENT_TRUST must say. */
export const distrusted = 'rumour';

/**
 * The demo, told on a screen while three agents do it against a service with the vocabulary world.graphql.
 * Told again, it leaves the graph as it is.
 * @param url of the service
 * @param signal breaks it off; it then throws the signal's reason
 */
export async function tellStory(url: string, screen: Screen, signal?: AbortSignal): Promise<void> {
  const atlas = await join(url, 'atlas', signal);
  const scout = await join(url, 'scout', signal);
  const rumour = await join(url, distrusted, signal);
  await loadCountries(atlas, screen);
  await addClaims(scout, screen);
  await ask(scout, screen);
  await follow(scout, atlas, screen);
  await tryTheRules(scout, rumour, screen);
  await callAnother(scout, url, screen);
  await runWorkflow(scout, url, screen);
}
