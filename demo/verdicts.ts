import { add, type Patch } from '../src/client/index.ts';
import { type Agent, propose } from './agents.ts';
import { country, language, predicates } from './names.ts';
import { type Screen, short } from './screen.ts';

/** Step 5: one proposal that the rules reject, and one that they hold for review. */
export async function tryTheRules(scout: Agent, rumour: Agent, screen: Screen): Promise<void> {
  screen.step('The rules stop two proposals');
  await tell(scout, "France's capital is French, the language", [
    add(country('FRA'), predicates.capital, language('fra')),
  ]);
  await tell(rumour, 'Atlantis is a country, and it borders Portugal', [
    add(country('ATL'), predicates.name, 'Atlantis'),
    add(country('ATL'), predicates.borders, country('PRT')),
  ]);
  const queue = await scout.concord.review.list();
  screen.line(queue.length === 0 ? 'The review queue is empty.' : 'The review queue:');
  screen.table(
    queue.map(({ updateId, sourceAgentId, justification = '' }) => [`  ${updateId}`, sourceAgentId, justification]),
  );
  screen.aside('Each of the two has an idempotency key: sent again, it gets this answer and is not filed twice.');

  async function tell(agent: Agent, claim: string, mutations: Patch[]): Promise<void> {
    const answer = await propose(agent, mutations, `Somebody said: ${claim}`);
    const [details = '', ...more] = (answer.verificationDetails ?? '').split('\n').map(short);
    screen.line(`${agent.id}: ${claim}`);
    screen.table([
      ['  success', String(answer.success)],
      ['  verification', answer.verificationStatus],
      ['  details', details],
      ...more.map((line) => ['', line]),
    ]);
    screen.line();
  }
}
