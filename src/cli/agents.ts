import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { AgentCredentials, AgentSearch, ListAgentsOptions, RegisteredAgent } from '../client/index.ts';
import { type ConnectionOptions, connectTo, withConnection } from './target/connection.ts';
import { UsageError } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';
import { cell, tableLines } from './terminal/table.ts';
import { textOf } from './terminal/text.ts';

interface Printed {
  json?: boolean;
}

type Listing = ConnectionOptions & Printed & Pick<ListAgentsOptions, 'first' | 'after' | 'protocol' | 'status'>;
type Finding = ConnectionOptions & Printed & AgentSearch & { first: number };
type Registering = ConnectionOptions & Printed & RegisterOptions;

interface RegisterOptions {
  id?: string;
  tag?: string[];
  keys?: string;
  bearer?: string;
  apiKeyFor?: string;
  certificate?: string;
}

const help = `
An agent is registered by the address of its card, or by a file with its card.

Examples:
  concord agents register https://translator.example.org --id translator
  concord agents register card.json --id translator --tag official
  concord agents find 'translate german'
  concord agents get translator
`;

const titles = ['ID', 'STATUS', 'NAME', 'PROTOCOL', 'SKILLS', 'ADDRESS'];

/** Adds `concord agents`. */
export function addAgentsCommand(program: Command, io: Io): void {
  const agents = program
    .command('agents')
    .description('the agents that are registered: list, find, look at, register and remove them')
    .addHelpText('after', help);
  addReading(agents, io);
  addWriting(agents, io);
}

function addReading(agents: Command, io: Io): void {
  const show = (found: RegisteredAgent[], json: boolean | undefined, nothing: string) => {
    if (json) return io.print(JSON.stringify(found));
    for (const line of tableLines(titles, found.map(cells))) io.print(line);
    if (found.length === 0) io.say(nothing);
  };

  const list = agents
    .command('list')
    .description('list them, who was registered first comes first')
    .option('--first <count>', 'at most so many, from 1 to 100', Number, 20)
    .option('--after <id>', 'behind the last one of the list before')
    .option('--protocol <protocol>', 'a2a, first-a2a, agentos or one')
    .option('--status <status>', 'up, down or unknown')
    .option('--json', 'print a JSON array');
  withConnection(list).action(async ({ first, after, protocol, status, json, ...options }: Listing) => {
    const client = await connectTo(options);
    const found = await client.agents.list({ first, after, protocol, status });
    show(found, json, 'No agents are registered.');
  });

  const find = agents
    .command('find')
    .description('find those whose skills, tags, names or descriptions are like some words; the likest first')
    .argument('[words]')
    .option('--skill <skill>', 'id or name of a skill')
    .option('--tag <tag>', 'a tag')
    .option('--protocol <protocol>', 'a2a, first-a2a, agentos or one')
    .option('--status <status>', 'up, down or unknown')
    .option('--first <count>', 'at most so many, from 1 to 50', Number, 10)
    .option('--json', 'print a JSON array');
  withConnection(find).action(async (words: string | undefined, options: Finding) => {
    const { skill, tag, protocol, status, first, json, ...connection } = options;
    const client = await connectTo(connection);
    show(await client.agents.find({ words, skill, tag, protocol, status, first }), json, 'There is no such agent.');
  });

  const get = agents.command('get').description('show one as JSON, with its card').argument('<id>');
  withConnection(get).action(async (id: string, options: ConnectionOptions) => {
    const client = await connectTo(options);
    io.print(JSON.stringify(await client.agents.get(id), undefined, 2));
  });
}

function addWriting(agents: Command, io: Io): void {
  const register = agents
    .command('register')
    .description('register an agent, or replace what is registered of it')
    .argument('<card>', 'the address of its card or of the agent, or a file with the card; - for standard input')
    .option('--id <id>', 'which agent (the one that speaks, if left out)')
    .option('--tag <tag...>', 'further words that it is found by')
    .option('--keys <file>', 'JSON Web Key Set that its card is signed by')
    .addOption(
      new Option('--bearer <token>', 'a token that it is called with; better in the environment').env(
        'CONCORD_AGENT_BEARER',
      ),
    )
    .addOption(
      new Option('--api-key-for <key>', 'an API key that it is called with; better in the environment')
        .env('CONCORD_AGENT_API_KEY')
        .conflicts('bearer'),
    )
    .option('--certificate <name>', 'the name of the client certificate that it is called with')
    .option('--json', 'print what is registered as JSON');
  withConnection(register).action(async (card: string, options: Registering) => {
    const { id, tag: tags, keys, bearer, apiKeyFor, certificate, json, ...connection } = options;
    const credentials = credentialsOf({ bearer, apiKeyFor, certificate });
    const client = await connectTo(connection);
    const registered = await client.agents.register({
      ...(/^https?:\/\//.test(card) ? { url: card } : { card: objectOf(card, await textOf(card)) }),
      ...(id !== undefined && { id }),
      ...(tags && { tags }),
      ...(keys !== undefined && { keys: objectOf(keys, await readFile(keys, 'utf8')) as { keys: [] } }),
      ...(credentials && { credentials }),
    });
    io.print(json ? JSON.stringify(registered) : `${registered.id} is registered: ${registered.name}`);
  });

  const remove = agents.command('remove').description('forget what is registered of an agent').argument('<id>');
  withConnection(remove).action(async (id: string, options: ConnectionOptions) => {
    const client = await connectTo(options);
    await client.agents.remove(id);
    io.print(`${id} is removed`);
  });
}

function cells({ id, status, name, protocol, protocolVersion, skills, endpoints }: RegisteredAgent): string[] {
  const named = skills.map((skill) => skill.id).join(', ');
  return [id, status, cell(name), `${protocol} ${protocolVersion}`, cell(named), endpoints[0]?.url ?? ''];
}

function credentialsOf({ bearer, apiKeyFor, certificate }: RegisterOptions): AgentCredentials | undefined {
  if (bearer !== undefined) return { scheme: 'bearer', token: bearer };
  if (apiKeyFor !== undefined) return { scheme: 'apiKey', key: apiKeyFor };
  return certificate === undefined ? undefined : { scheme: 'mtls', certificate };
}

/** @throws UsageError */
function objectOf(file: string, text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON`);
  }
}
