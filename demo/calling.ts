import { connect } from '../src/client/index.ts';
import { type RunningAgent, SkillError, startAgent } from '../src/kit/index.ts';
import type { Agent } from './agents.ts';
import type { Screen } from './screen.ts';

const question = 'query ($name: String!) { countries(where: { name: { eq: $name } }) { population area } }';

/** Step 6: an agent with a skill of its own registers, and another finds it and asks it. */
export async function callAnother(scout: Agent, url: string, screen: Screen): Promise<void> {
  screen.step('Another agent: it registers in Concord, and scout, who has never heard of it, finds it and asks it');
  const surveyor = await startSurveyor(url);
  try {
    const [found] = await scout.concord.agents.find('population density');
    if (!found) throw new Error('No agent is found');
    screen.table(
      [
        ['agent', 'skill', 'reached at'],
        [found.name, found.matchingSkills.join(', '), found.endpoints[0]?.url ?? ''],
      ],
      { head: true },
    );
    const asked = await connect(found.cardUrl ?? surveyor.url, { agentId: scout.id });
    const { task } = await asked.tasks.send([{ text: 'Austria' }]);
    const answer = task?.artifacts?.[0]?.parts[0]?.text;
    if (answer === undefined) throw new Error(`No answer: ${task?.status.message?.parts[0]?.text}`);
    screen.line(`Austria: ${answer}`);
    await scout.concord.agents.remove(found.id);
  } finally {
    await surveyor.close();
  }
}

/** What it knows it asks Concord for. */
function startSurveyor(url: string): Promise<RunningAgent> {
  return startAgent({
    id: 'surveyor',
    name: 'Surveyor',
    description: 'Works out what follows from the areas and populations of countries.',
    concord: { url },
    skills: [
      {
        id: 'density',
        name: 'Population density',
        description: 'How many people there are to a square kilometre of the country that is named.',
        tags: ['population', 'area'],
        async run({ text: name, concord }) {
          type Answer = { countries: { population: number | null; area: number | null }[] };
          const country = (await concord?.query<Answer>(question, { name }))?.data.countries[0];
          if (!country?.population || !country.area) throw new SkillError(`Nothing is known of ${name}`);
          return `${Math.round(country.population / country.area)} people to a square kilometre`;
        },
      },
    ],
  });
}
