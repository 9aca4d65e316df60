import { type Command, Option } from 'commander';
import { StartupError } from '../../base/errors.ts';
import { migrate } from '../../graph/setup/migrations.ts';
import { type ApiKeyRecord, ApiKeyStore } from '../../security/apiKeyStore.ts';
import { type Scope, scopes } from '../../security/principal.ts';
import { tableLines } from '../terminal/table.ts';
import { type DatabaseParts, withDatabase } from './database.ts';

interface CreateOptions {
  tenant: string;
  agent: string;
  scope: Scope[];
  graph?: string[];
  json?: boolean;
}

const examples = `
Examples:
  KEY=$(concord keys create --tenant default --agent scout --scope knowledge:query knowledge:update)
  curl -H "X-API-Key: $KEY" … http://127.0.0.1:4000/a2a
  concord keys list
  concord keys revoke 5f2c9a1b7e3d4806

A service takes API keys when it is started with API_KEYS=true. This command finds the database by the same settings
as the service (NEO4J_URI and the like, or DATA_DIR), and works while the service runs. A revoked key is refused by
every replica within 10 seconds.`;

/** Adds `keys create`, `keys list` and `keys revoke` to a program. */
export function addKeysCommand(program: Command, parts: DatabaseParts): void {
  const keys = program.command('keys').description('make, list and revoke the API keys of agents');
  keys.addHelpText('after', examples);

  keys
    .command('create')
    .description('make a key for an agent and print it, once: only a hash of it is kept')
    .requiredOption('--tenant <tenant>', 'the tenant whose graph the agent works on', named)
    .requiredOption('--agent <id>', 'the agent that the key stands for, and may speak as', named)
    .addOption(
      new Option('--scope <scope...>', 'what the agent may do; several with spaces between them')
        .choices(scopes)
        .makeOptionMandatory(),
    )
    .option('--graph <iri...>', 'the only graphs that it sees; `default` is the default graph (all, if left out)')
    .option('--json', 'print the key and what it is good for as JSON')
    .action((options: CreateOptions) => withStore(parts, true, (store) => create(store, options, parts)));

  keys
    .command('list')
    .description('list the keys, revoked ones too; the secret part of a key cannot be shown again')
    .option('--tenant <tenant>', 'only keys of this tenant')
    .option('--json', 'print a JSON array')
    .action(({ tenant, json }: { tenant?: string; json?: boolean }) =>
      withStore(parts, false, async (store) => {
        const records = await store.list(tenant);
        if (json) return parts.print(JSON.stringify(records.map(shown), null, 2));
        for (const line of tableLines(titles, records.map(cells))) parts.print(line);
        if (records.length === 0) parts.say('There are no keys. `concord keys create --help` says how to make one.');
      }),
    );

  keys
    .command('revoke')
    .description('end a key for good')
    .argument('<id>', 'the id of the key: the part between `concord_` and the second `_`')
    .option('--json', 'print the revoked key as JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      withStore(parts, false, async (store) => {
        const record = await store.revoke(id);
        if (!record) throw new StartupError(`There is no key ${id}. 'concord keys list' shows those there are.`);
        if (json) return parts.print(JSON.stringify(shown(record), null, 2));
        parts.say(`Key ${id} of agent ${record.agentId} is revoked since ${record.revokedAt}.`);
      }),
    );
}

async function create(store: ApiKeyStore, options: CreateOptions, { print, say }: DatabaseParts): Promise<void> {
  const { tenant, agent: agentId, scope, graph: graphs, json } = options;
  const unique = [...new Set(scope)];
  const { key, record } = await store.create({ tenant, agentId, scopes: unique, ...(graphs && { graphs }) });
  if (json) return print(JSON.stringify({ key, ...shown(record) }, null, 2));
  print(key);
  say(`This is the key of agent ${agentId} of tenant ${tenant}. Keep it now: it is not shown again.`);
}

/** Everything but the hash, which is of no use to anybody but Concord. */
function shown({ hash: _hash, ...rest }: ApiKeyRecord): Omit<ApiKeyRecord, 'hash'> {
  return rest;
}

const titles = ['ID', 'TENANT', 'AGENT', 'SCOPES', 'GRAPHS', 'CREATED', 'LAST USED', 'REVOKED'];

function cells({ id, tenant, agentId, scopes, graphs, createdAt, lastUsedAt, revokedAt }: ApiKeyRecord): string[] {
  const granted = scopes.map((scope) => scope.replace('knowledge:', '')).join(',');
  const seen = graphs ? graphs.join(',') || 'none' : 'all';
  return [id, tenant, agentId, granted, seen, day(createdAt), day(lastUsedAt), day(revokedAt)];
}

/** `2030-01-02T03:04:05.678Z` → `2030-01-02 03:04` */
function day(time: string | undefined): string {
  return time?.slice(0, 16).replace('T', ' ') ?? '-';
}

function withStore(
  parts: DatabaseParts,
  isToCreate: boolean,
  work: (store: ApiKeyStore) => Promise<void>,
): Promise<void> {
  return withDatabase(parts, async (database) => {
    // The first key may be made before a service has ever run on this database.
    if (isToCreate) await migrate(database);
    await work(new ApiKeyStore(database));
  });
}

function named(text: string): string {
  if (text.trim() === '') throw new StartupError('A tenant and an agent need a name that is not empty.');
  return text;
}
