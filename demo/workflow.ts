import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ConcordClient, Task } from '../src/client/index.ts';
import { type RunningAgent, startAgent } from '../src/kit/index.ts';
import type { Agent } from './agents.ts';
import { type Screen, short } from './screen.ts';

const density = 'https://example.org/world#density';
const dying = 'Liechtenstein';

const gathering = `{
  countries(where: { borders: { some: { code: { eq: "CHE" } } } }, sort: [{ name: ASC }]) { id name population area }
}`;

const stated = `{
  countries(where: { name: { eq: "${dying}" } }) {
    statements(predicate: ["${density}"]) { object { value } sourceAgentId taskId updateId }
  }
}`;

interface Stated {
  countries: {
    statements: { object: { value: number }; sourceAgentId: string; taskId?: string; updateId: string }[];
  }[];
}

/** A step as the workflow's artifact tells it. */
interface StepReport {
  id: string;
  state: string;
  tasks?: string[];
}

/**
 * Step 7: three agents register, a workflow has them gather, check and report, one of them dies in the middle and is
 * tried again, and what comes of it is stated; then from such a statement back to the step that made it.
 */
export async function runWorkflow(scout: Agent, url: string, screen: Screen): Promise<void> {
  screen.step('A workflow: three agents gather, check and report; one of them dies in the middle and is tried again');
  if ((await densityOf(scout.concord)) === undefined) await coordinate(scout, url, screen);
  else screen.line('An earlier run has done it; nothing changed.');
  await walkBack(scout.concord, screen);
}

async function coordinate({ id, concord }: Agent, url: string, screen: Screen): Promise<void> {
  const agents = await Promise.all([startGatherer(url), startReporter(url)]);
  const checker = await Checker.start(url, screen);
  try {
    const task = await concord.coordinate({
      steps: [
        { id: 'gather', capability: 'gathering', task: 'gather-neighbours' },
        {
          id: 'check',
          agent: 'checker',
          task: 'check-density',
          forEach: { $result: 'gather', pointer: '/countries' },
          parameters: { $item: '' } as Record<string, unknown>,
          retry: { max: 5, backoff: 'linear' },
        },
        {
          id: 'report',
          capability: 'reporting',
          task: 'report-densities',
          parameters: { checked: { $result: 'check' } },
        },
        {
          id: 'state',
          agent: 'concord/propose',
          parameters: { sourceAgentId: id, mutations: { $result: 'report', pointer: '/mutations' } },
          depends: ['report'],
        },
      ],
    });
    const steps = stepsOf(task);
    if (task.status.state !== 'TASK_STATE_COMPLETED') throw new Error(`The workflow failed: ${JSON.stringify(steps)}`);
    screen.table(
      [['step', 'state', 'tasks'], ...steps.map(({ id, state, tasks = [] }) => [id, state, String(tasks.length)])],
      { head: true },
    );
  } finally {
    await checker.close();
    await Promise.all(agents.map((agent) => agent.close()));
    for (const agent of ['gatherer', 'checker', 'reporter']) await concord.agents.remove(agent);
  }
}

function stepsOf(task: Task): StepReport[] {
  const data = task.artifacts?.[0]?.parts[0]?.data as { steps?: StepReport[] } | undefined;
  return data?.steps ?? [];
}

async function densityOf(concord: ConcordClient): Promise<Stated['countries'][0]['statements'][0] | undefined> {
  return (await concord.query<Stated>(stated)).data.countries[0]?.statements[0];
}

/** From a statement to the update that it stands in, the task that proposed this, and its workflow. */
async function walkBack(concord: ConcordClient, screen: Screen): Promise<void> {
  const found = await densityOf(concord);
  if (found?.taskId === undefined) throw new Error('What the workflow has stated is not there');
  screen.line(`From a statement to where it comes from: ${dying} ${short(density)} ${found.object.value}`);
  const task = await concord.tasks.get(found.taskId);
  screen.table([
    ['said by', found.sourceAgentId],
    ['in the update', found.updateId],
    ['proposed by the task', `${task.id}, ${task.status.state}`],
  ]);
  screen.aside('In Neo4j Browser the same path, up to the workflow:');
  screen.code(`MATCH path = (:Update {id: '${found.updateId}'})<-[:MADE]-(:Task)-[:PART_OF]->(:Task) RETURN path`);
}

function startGatherer(url: string): Promise<RunningAgent> {
  return startAgent({
    id: 'gatherer',
    name: 'Gatherer',
    description: 'Gathers what is known of countries.',
    concord: { url },
    skills: [
      {
        id: 'gather-neighbours',
        name: 'Gather the neighbours',
        description: 'Population and area of the neighbours of Switzerland.',
        tags: ['gathering'],
        run: async ({ concord }) => ({
          countries: (await concord?.query<{ countries: object[] }>(gathering))?.data.countries,
        }),
      },
    ],
  });
}

function startReporter(url: string): Promise<RunningAgent> {
  return startAgent({
    id: 'reporter',
    name: 'Reporter',
    description: 'Writes down what others have found.',
    concord: { url },
    skills: [
      {
        id: 'report-densities',
        name: 'Report densities',
        description: 'Checked population densities as statements.',
        tags: ['reporting'],
        run: ({ data }) => {
          const checked = data.checked as { id: string; density: number; plausible: boolean }[];
          const plausible = checked.filter((each) => each.plausible);
          return { mutations: plausible.map(({ id, density: value }) => add(id, value)) };
        },
      },
    ],
  });
}

const add = (id: string, value: number) => ({
  op: 'add',
  statement: { subject: { id }, predicate: { id: density }, object: { value }, certainty: 0.9 },
});

/** The agent that dies, as a process; another comes up in its place. */
class Checker {
  private readonly url: string;
  private child: ChildProcess | undefined;
  private isClosed = false;

  private constructor(url: string) {
    this.url = url;
  }

  static async start(url: string, screen: Screen): Promise<Checker> {
    const checker = new Checker(url);
    const port = await checker.run('0', dying);
    checker.child?.once('exit', () => {
      if (checker.isClosed) return;
      screen.line(`checker has died in the middle of ${dying}; another is started in its place`);
      void checker.run(port);
    });
    return checker;
  }

  /** @returns the port that it listens on, once it does */
  private async run(port: string, diesAt?: string): Promise<string> {
    const file = fileURLToPath(new URL('checker.ts', import.meta.url));
    const words = ['--import', 'tsx', file, this.url, port, ...(diesAt === undefined ? [] : [diesAt])];
    this.child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const { stdout } = this.child;
    if (stdout === null) throw new Error('checker has no output');
    const [line] = await Promise.race([once(stdout, 'data'), once(this.child, 'exit').then(() => [''])]);
    return String(line).trim();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.child?.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
