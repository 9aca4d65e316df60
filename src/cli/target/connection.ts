import { type Command, Option } from 'commander';
import { type ClientOptions, type ConcordClient, connect, type RetrySettings } from '../../client/index.ts';

/** What a principal shows to a Concord. */
export interface Credentials {
  apiKey?: string;
  token?: string;
}

/** Which Concord a command calls, and as whom. */
export interface ConnectionOptions extends Credentials {
  url: string;
  agent?: string;
}

/** Of a Concord that runs on this machine as it comes. */
export const defaultUrl = 'http://127.0.0.1:4000';

/** Adds the options of every command that calls a Concord and speaks for an agent. */
export function withConnection(command: Command): Command {
  return withCredentials(command).option('--agent <id>', "the agent to speak as (the credentials' own, if left out)");
}

/** Adds the options of every command that calls a Concord. */
export function withCredentials(command: Command): Command {
  return command
    .addOption(new Option('--url <address>', 'address of the Concord').env('CONCORD_URL').default(defaultUrl))
    .addOption(
      new Option(
        '--api-key <key>',
        'an API key; better in the environment, where other users of the machine do not see it',
      )
        .env('CONCORD_API_KEY')
        .conflicts('token'),
    )
    .addOption(new Option('--token <jwt>', 'a JSON Web Token').env('CONCORD_TOKEN'));
}

/** The credentials as the client takes them. */
export function shownBy({ apiKey, token }: Credentials): Pick<ClientOptions, 'token' | 'headers'> {
  return {
    ...(token !== undefined && { token }),
    ...(apiKey !== undefined && { headers: { 'X-API-Key': apiKey } }),
  };
}

/** A restart of the service is waited for: about a minute in all. */
export const patient: RetrySettings = { attempts: 12, baseMs: 250, maxMs: 10_000 };

/** Somebody waits for the answer. */
const brisk: RetrySettings = { attempts: 2, baseMs: 250, maxMs: 250 };

/**
 * A client by these options.
 * @param retry of its calls; whether there is a Concord at all is found out at once
 * @throws ConcordClientError
 */
export async function connectTo(
  { url, agent, ...credentials }: ConnectionOptions,
  settings: { retry?: RetrySettings; timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<ConcordClient> {
  const options = {
    ...settings,
    ...(agent !== undefined && { agentId: agent }),
    ...shownBy(credentials),
  };
  const client = await connect(url, { ...options, retry: brisk });
  return settings.retry === undefined ? client : connect(url, options);
}

/**
 * The revision of the caller's graph, by a question that every principal may ask who may ask at all.
 * @throws ConcordClientError
 */
export async function revisionOf(client: ConcordClient): Promise<number> {
  const { queryMetadata } = await client.query('{ __typename }');
  return queryMetadata.revision;
}
