import { startAgent } from '../../src/kit/index.ts';

/* An agent that does next to nothing, in a process of its own. */

const agent = await startAgent({
  ...{
    id: 'worker',
    name: 'Worker',
    description: 'Says it again.',
    port: Number(process.env.PORT),
    mostRunning: 1_000,
  },
  skills: [{ id: 'echo', name: 'Echo', description: 'Says it again.', tags: ['echo'], run: ({ text }) => text }],
});
process.once('SIGTERM', () => void agent.close());
