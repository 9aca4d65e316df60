import { type Command, Option } from 'commander';
import type { ChangeSubscription, SubscriptionReceiver } from '../client/index.ts';
import { type ConnectionOptions, connectTo, withConnection } from './target/connection.ts';
import { UsageError } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';
import { cell, tableLines } from './terminal/table.ts';

interface Printed {
  json?: boolean;
}

interface CreateOptions extends ConnectionOptions, Printed {
  variables?: string;
  after?: number;
  since?: string;
  certainty?: number;
  receiverToken?: string;
}

const help = `
Changes are sent as CloudEvents, in batches, to an address that need not be up all the time. It takes an API key
(CONCORD_API_KEY); only a service without identities takes none.

Examples:
  concord subscriptions create https://hooks.example.org/changes 'subscription { statementChanged { op } }'
  concord subscriptions list
  concord subscriptions resume 7e13f923-83a7-4d38-a0d8-c2745d078453
`;

/** Adds `concord subscriptions`. */
export function addSubscriptionsCommand(program: Command, io: Io): void {
  const subscriptions = program
    .command('subscriptions')
    .description('keep subscriptions whose changes are sent to a receiver')
    .addHelpText('after', help);

  const create = subscriptions
    .command('create')
    .description('have the changes that a subscription asks for sent to an address')
    .argument('<url>', 'the receiver: https, unless the service lets it in otherwise')
    .argument('<subscription>', 'GraphQL, as knowledge/subscribe takes it')
    .option('--variables <json>', 'its variables')
    .option('--after <sequence>', 'begin behind this change (with what comes, if left out)', Number)
    .option('--since <time>', 'begin with the changes of this time, ISO 8601')
    .option('--certainty <number>', 'only statements as certain, from 0 to 1', Number)
    .addOption(
      new Option('--receiver-token <token>', 'shown to the receiver; better in the environment').env(
        'CONCORD_RECEIVER_TOKEN',
      ),
    )
    .option('--json', 'print the subscription as JSON');
  withConnection(create).action(async (url: string, query: string, options: CreateOptions) => {
    const { variables, after, since, certainty, receiverToken: token, json } = options;
    const client = await connectTo(options);
    const receiver: SubscriptionReceiver = { url, ...(token !== undefined && { token }) };
    const created = await client.subscriptions.create(query, receiver, {
      ...(variables !== undefined && { variables: objectOf(variables) }),
      ...(after !== undefined && { after }),
      ...(since !== undefined && { since }),
      ...(certainty !== undefined && { requiredCertainty: certainty }),
    });
    io.print(json ? JSON.stringify(created) : created.id);
  });

  const list = subscriptions
    .command('list')
    .description("list the agent's, the oldest first")
    .option('--first <count>', 'at most so many, from 1 to 100', Number, 20)
    .option('--after <id>', 'behind the last one of the list before')
    .option('--json', 'print a JSON array');
  withConnection(list).action(
    async ({ first, after, json, ...options }: ConnectionOptions & Printed & { first: number; after?: string }) => {
      const client = await connectTo(options);
      const found = await client.subscriptions.list({ first, ...(after !== undefined && { after }) });
      if (json) return io.print(JSON.stringify(found));
      for (const line of tableLines(titles, found.map(cells))) io.print(line);
      if (found.length === 0) io.say('There are no subscriptions with a receiver.');
    },
  );

  const actions = {
    get: 'show one as JSON',
    pause: 'send nothing more until it is resumed; its place is kept',
    resume: 'go on behind the last change that was acknowledged, with the rights of the key that resumes it',
  } as const;
  for (const [action, description] of Object.entries(actions) as [keyof typeof actions, string][]) {
    const command = subscriptions.command(action).description(description).argument('<id>');
    if (action !== 'get') command.option('--json', 'print the subscription as JSON');
    withConnection(command).action(async (id: string, { json, ...options }: ConnectionOptions & Printed) => {
      const client = await connectTo(options);
      const subscription = await client.subscriptions[action](id);
      io.print(json || action === 'get' ? JSON.stringify(subscription) : `${id} is ${subscription.state}`);
    });
  }

  const remove = subscriptions.command('delete').description('end one for good').argument('<id>');
  withConnection(remove).action(async (id: string, options: ConnectionOptions) => {
    const client = await connectTo(options);
    await client.subscriptions.delete(id);
    io.print(`${id} is deleted`);
  });
}

const titles = ['ID', 'STATE', 'WHY', 'CURSOR', 'DELIVERED', 'RECEIVER', 'SUBSCRIPTION'];

function cells({
  id,
  state,
  pause,
  failure,
  cursor,
  deliveredAt,
  receiver,
  subscriptionQuery,
}: ChangeSubscription): string[] {
  const failing = failure && `${failure.reason}, ${failure.attempts} times`;
  return [
    id,
    state,
    [pause?.reason, failing].filter(Boolean).join(': '),
    cursor === undefined ? '' : String(cursor),
    deliveredAt?.slice(0, 16).replace('T', ' ') ?? '',
    receiver.url,
    cell(subscriptionQuery),
  ];
}

/** @throws UsageError */
function objectOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--variables is not JSON');
  }
}
