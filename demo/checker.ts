import { startAgent } from '../src/kit/index.ts';

/** A country as the first step of the workflow has gathered it. */
interface Gathered {
  id: string;
  name: string;
  population: number;
  area: number;
}

/*
 * The agent `checker`, a process of its own: `checker.ts URL-OF-CONCORD PORT [NAME]`. It dies in the middle of the
 * country NAME, as processes do: without a word.
 */
const [url = '', port = '0', dying] = process.argv.slice(2);

const checker = await startAgent({
  id: 'checker',
  name: 'Checker',
  description: 'Works out population densities, and says which are out of the ordinary.',
  concord: { url },
  port: Number(port),
  skills: [
    {
      id: 'check-density',
      name: 'Check a density',
      description: 'People to a square kilometre of a country, and whether that is plausible.',
      tags: ['checking'],
      run: ({ data }) => {
        const { id, name, population, area } = data as unknown as Gathered;
        if (name === dying) process.kill(process.pid, 'SIGKILL');
        const density = Math.round(population / area);
        return { id, name, density, plausible: density > 0 && density < 30_000 };
      },
    },
  ],
});
// Whoever has started it waits for this line.
process.stdout.write(`${new URL(checker.url).port}\n`);
