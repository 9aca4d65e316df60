import { z } from 'zod';
import { StartupError } from '../base/errors.ts';
import { agentSettings, cardSettings } from './agents.ts';
import { identitySettings } from './identity.ts';
import {
  atMost,
  count,
  flag,
  keys,
  longestMs,
  optional,
  origins,
  parsed,
  port,
  price,
  receivers,
  text,
  time,
  trust,
} from './kinds.ts';
import { limitSettings } from './limits.ts';
import { fileSetting, withSecretFiles } from './secretFiles.ts';
import { isSecretSetting, secretSetting } from './secretSetting.ts';
import { parseSources } from './sources.ts';

/**
 * Every setting by the name of its environment variable, in groups; docs/settings.md is made of this (`npm run docs`).
 */
export const settingGroups = {
  Addresses: {
    HOST: text.default('127.0.0.1').describe('Address to listen on. An address beyond loopback needs identities'),
    PORT: port.default(4000).describe('Port to listen on; 0 lets the system choose'),
    PUBLIC_URL: z.url().optional().describe("Address that the agent card tells, if it isn't the one listened on"),
    GRPC_PORT: port.optional().describe('Port for A2A over gRPC, on `HOST`. Without it there is no gRPC'),
    GRPC_PUBLIC_ADDRESS: optional("`host:port` that the agent card tells for gRPC, if it isn't the one listened on"),
    OPERATIONS_PORT: port
      .optional()
      .describe(
        'Port for operators, on `HOST`: `/metrics`, `/healthz`, `/readyz` with its checks and `/schema.graphql`, without credentials. Keep callers from it ([who sees what](security.md#metrics-and-schema))',
      ),
    TLS_CERT_FILE: optional(
      'PEM file of the certificate, with those between it and its root, for every port. Read again when it changes ([TLS](operate/secure.md#tls))',
    ),
    TLS_KEY_FILE: optional('PEM file of its private key, without a passphrase'),
    TLS_CLIENT_CA_FILE: optional(
      'PEM file of the authorities whose certificates of callers are taken ([client certificates](security.md#client-certificates))',
    ),
    CORS_ALLOWED_ORIGINS: origins.describe(
      'Origins of web pages that may call, comma-separated: `https://app.example.org`. Without it none may ([CORS](operate/secure.md#web-pages))',
    ),
    MAX_BODY_BYTES: count(16 * 1024 * 1024).describe(
      'Largest request body, and message over a socket. With identities a request without credentials in a header has 64 KiB',
    ),
    HEARTBEAT_MS: time(15_000).describe('Time between heartbeats on a quiet stream or socket'),
    DRAIN_DELAY_MS: z.coerce
      .number()
      .int()
      .min(0)
      .max(longestMs)
      .default(0)
      .describe(
        'How long a Concord that is told to stop goes on serving while `/readyz` answers `draining`, so that balancers forget it',
      ),
    SHUTDOWN_MS: time(10_000).describe('How long a stopping Concord waits for calls under way'),
  },
  Knowledge: {
    VOCABULARY: optional('GraphQL SDL file of classes and predicates'),
    VOCABULARY_MODE: z
      .enum(['open', 'closed'])
      .default('open')
      .describe("`closed` refuses predicates that the vocabulary doesn't have; `open` takes them"),
    VOCABULARY_CHECK: z
      .enum(['warn', 'refuse'])
      .default('warn')
      .describe(
        'What a start does where the vocabulary has changed and hides what the graph holds: tell it, or end before anything is written ([how one changes](vocabulary.md#changing-it))',
      ),
    RULES: optional('Folder with alignment rules of your own'),
    AGENT_TRUST: trust.describe('`agent=trust` pairs, comma-separated; trust is from 0 to 1'),
    POLICY: optional('JSON file of the classes and predicates that are closed to agents or tenants'),
    INTROSPECTION: flag
      .default(true)
      .describe('Whether the schema is shown: `GET /schema.graphql`, `__schema` in queries, the explorer'),
    CYPHER: flag
      .optional()
      .describe('Whether `knowledge/query` takes Cypher. Without the setting: only where there are no identities'),
  },
  Sources: {
    SOURCES: secretSetting(
      'Databases that Concord may look at, `name=address` or `tenant/name=address`, one a line; an address is `postgres://user:password@host:5432/database` or `pglite:FOLDER` ([sources](sources.md))',
      parsed(parseSources),
    ),
    SOURCE_SQL: flag
      .optional()
      .describe(
        'Whether sources answer SQL ([SQL](sources.md#sql)). Without the setting: only where there are no identities',
      ),
  },
  Neo4j: {
    NEO4J_URI: optional('`bolt://…` or `neo4j://…` of a Neo4j that runs. Without it Concord starts one'),
    NEO4J_WAIT_MS: z.coerce
      .number()
      .int()
      .min(0)
      .default(60_000)
      .describe('How long a start waits for the Neo4j of `NEO4J_URI` to answer'),
    NEO4J_USER: text.default('neo4j').describe('User of Neo4j, as whom Concord writes and reads'),
    NEO4J_PASSWORD: secretSetting(
      'Its password. Without it none is sent to a `NEO4J_URI`; the embedded Neo4j makes its own',
    ),
    NEO4J_READER_USER: optional(
      'Another user, as whom the queries of callers run ([how to make one](operations-security.md#a-reader-for-the-queries-of-callers))',
    ),
    NEO4J_READER_PASSWORD: secretSetting('The password of that user'),
    NEO4J_DATABASE: text.default('neo4j').describe('The database'),
    CAPTURE: z
      .enum(['off', 'report', 'enforce', 'cdc'])
      .default('off')
      .describe(
        'What becomes of edits that somebody makes in Neo4j by hand: nothing, so that agents read them without history or events; they are taken as statements, by a trigger of APOC; that, and edits of what only Concord writes are refused; or they are taken by change data capture, on Neo4j Enterprise and Aura ([edits by hand](operations-security.md#edits-by-hand))',
      ),
    NEO4J_SERVER: z
      .enum(['auto', 'embedded', 'docker'])
      .default('auto')
      .describe('Which Neo4j to start: `embedded`, `docker`, or `auto`: embedded where Java and Maven are there'),
    NEO4J_BOLT_PORT: port.optional().describe('Port of the embedded Neo4j. Without it 7687, or a free one'),
    NEO4J_HTTP_PORT: port.optional().describe('Port of its Browser. Without it 7474, or a free one'),
    NEO4J_HEAP: z
      .string()
      .regex(/^\d+[mg]$/)
      .default('1g')
      .describe('Java heap of the embedded Neo4j. One transaction may take half of it'),
    DATA_DIR: text.default('.concord').describe('Where the embedded Neo4j keeps its data, jars and password'),
  },
  Queries: {
    QUERY_TIMEOUT_MS: time(30_000).describe('Longest query in Neo4j'),
    QUERY_DEFAULT_LIMIT: count(100).describe(
      'Rows of a list or connection at the root of a query that leaves its `limit` or `first` out, or says 0',
    ),
    QUERY_MAX_DEPTH: count(15).describe('Most levels of fields; conditions may have twice as many'),
    QUERY_MAX_COST: count(2_000_000).describe('Most values that a query is estimated to answer'),
    QUERY_MAX_ROWS: count(100_000).describe('Most rows that a query finds, those inside of rows too'),
    QUERY_MAX_BYTES: count(32 * 1024 * 1024).describe('Longest answer'),
    QUERY_MAX_CONCURRENT: count(64).describe('Most queries of one agent under way'),
  },
  Updates: {
    MAX_MUTATIONS: count(10_000).describe('Most patches in one update'),
    MAX_TEXT_CHARACTERS: count(1024 * 1024).describe(
      'Longest text of a literal. In an indexed field it is 2,000 whatever is said here',
    ),
    UPDATE_TIMEOUT_MS: time(120_000).describe('Longest transaction of an update'),
    UPDATE_QUEUE: count(1_000).describe(
      'Updates of a tenant that may wait for their turn. A full queue answers -32011 `queue-full`',
    ),
    SUPPRESSION: z
      .enum(['off', 'review', 'refuse'])
      .default('review')
      .describe(
        'What becomes of statements that would bring back what a purge has erased, where there is a `SUPPRESSION_KEY`: they are taken, held for review, or refused',
      ),
    SUPPRESSION_KEY: secretSetting(
      'Secret of 32 characters or more, under which a purge keeps what must not come back; or several, one a line: the first writes, and all are tried ([a change of the key](security.md#another-key)). Keep it: under another one nothing of before is known. Without it, nothing is kept away',
      keys,
    ),
    IDEMPOTENCY_KEY_HOURS: count(7 * 24).describe('How long an idempotency key stands for its update'),
  },
  Subscriptions: {
    FEED_POLL_MS: time(100).describe('How often the ledgers are asked for changes of other replicas'),
    FEED_IDLE_POLL_MS: time(500).describe('The same while there was no change for 30 seconds'),
    FEED_STALE_MS: time(10_000).describe('Age of the feed at which `/readyz` answers 503'),
    SUBSCRIPTION_MAX_CONCURRENT: count(1_000).describe(
      'Most subscriptions to changes, and most sockets, that one agent has open',
    ),
    SUBSCRIPTION_MAX_OPEN: count(20_000).describe(
      'Most subscriptions to changes, and most sockets, that are open in all',
    ),
    LIVE_QUERY_INTERVAL_MS: time(500).describe('Shortest time between two runs of a live query'),
    LIVE_QUERY_MAX_CONCURRENT: count(100).describe('Most live queries that one agent follows'),
    LIVE_QUERY_MAX_OPEN: count(2_000).describe('Most live queries that are followed in all'),
    CHANGE_RETENTION_HOURS: atMost.describe('Age at which a change leaves the log. Absent: never'),
    CHANGE_RETENTION_COUNT: atMost.describe(
      'Changes of a tenant beyond which the oldest leave the log. Absent: all stay',
    ),
    WEBHOOKS_PER_AGENT: count(100).describe('Most subscriptions with a receiver that one agent has'),
    WEBHOOKS_IN_ALL: count(10_000).describe('Most subscriptions with a receiver that there are in all'),
    WEBHOOK_BATCH_EVENTS: count(100).describe('Most changes of one delivery'),
    WEBHOOK_BATCH_BYTES: count(1024 * 1024).describe('Longest delivery. A single change is sent however long it is'),
    WEBHOOK_ATTEMPTS: count(300).describe(
      'Failed attempts in a row after which a subscription is paused; with as many as the default that is about a day',
    ),
    SUBSCRIBER_BUFFER: count(10_000).describe('Changes that may wait for one subscriber'),
  },
  Tasks: {
    TASK_TIMEOUT_MS: time(300_000).describe('Longest task. One that takes longer fails'),
    TASK_WATCH_MS: time(3_600_000).describe('Longest watch'),
    TASK_WATCH_CHANGES: count(10_000).describe('Most changes that a watch reports'),
    TASK_MAX_CONCURRENT: count(64).describe('Most tasks of one agent that are executed at a time'),
    REST_MAX_CONCURRENT: count(5).describe(
      'Most tasks of one agent that were begun at `/tasks/…` and are executed at a time ([REST](rest.md))',
    ),
    TASK_MAX_RUNNING: count(1_000).describe('Most tasks that are executed at a time in all'),
    TASK_MAX_HISTORY: count(1_000).describe('Messages after which a task takes no more'),
    TASK_MAX_HISTORY_BYTES: count(8 * 1024 * 1024).describe(
      'Longest messages of a task together. One whose next message makes them longer takes it no more',
    ),
    TASK_MAX_ARTIFACT_BYTES: count(8 * 1024 * 1024).describe(
      'Longest artifacts of one message. Longer ones fail the task',
    ),
    TASK_RETENTION_HOURS: count(30 * 24).describe('How long a task is kept after its end'),
    STREAM_MAX_CONCURRENT: count(64).describe('Most streams of tasks that one agent has open'),
    STREAM_MAX_OPEN: count(2_000).describe('Most streams of tasks that are open in all'),
    PUSH_ALLOW: receivers.describe(
      'Receivers of push notifications and of changes that may be private and need no https: hosts, addresses and blocks, comma-separated',
    ),
    MODEL_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Base URL of the language model that makes queries of questions, compatible with OpenAI'),
    MODEL_NAME: optional('Name of that model'),
    MODEL_KEY: secretSetting('Key of that model, where its endpoint wants one'),
    MODEL_TIMEOUT_MS: time(60_000).describe('How long that model may take for one answer; a question may need three'),
    MODEL_TOKENS_PER_DAY: atMost.describe(
      'Most tokens of that model that one agent uses in a day, from the first on. Absent: any number',
    ),
    MODEL_PRICE_INPUT: price.describe(
      'Price of a million tokens that are sent to that model, for `concord_model_cost`',
    ),
    MODEL_PRICE_OUTPUT: price.describe('Price of a million tokens that it says, in the same currency'),
  },
  Agents: agentSettings,
  'Agent card': cardSettings,
  Identities: identitySettings,
  'Rate limits': limitSettings,
  'Audit trail': {
    AUDIT: z
      .enum(['off', 'writes', 'all'])
      .default('off')
      .describe(
        'What the [audit trail](audit.md) holds: nothing; what changes something, and whoever is refused; or reads too',
      ),
    AUDIT_RETENTION_DAYS: atMost.describe('Age at which an entry leaves the audit trail. Absent: never'),
  },
  Logging: {
    LOG_LEVEL: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .describe('`trace`, `debug`, `info`, `warn`, `error` or `silent`'),
    TRACE_QUERY_TEXT: flag
      .default(false)
      .describe('Whether spans tell the text of each query in Neo4j (`db.query.text`), and not only its summary'),
  },
};

const settings = z
  .object({
    ...settingGroups.Addresses,
    ...settingGroups.Knowledge,
    ...settingGroups.Sources,
    ...settingGroups.Neo4j,
    ...settingGroups.Queries,
    ...settingGroups.Updates,
    ...settingGroups.Subscriptions,
    ...settingGroups.Tasks,
    ...settingGroups.Agents,
    ...settingGroups['Agent card'],
    ...settingGroups.Identities,
    ...settingGroups['Rate limits'],
    ...settingGroups['Audit trail'],
    ...settingGroups.Logging,
  })
  .refine(({ SUPPRESSION, SUPPRESSION_KEY }) => SUPPRESSION !== 'refuse' || SUPPRESSION_KEY !== undefined, {
    path: ['SUPPRESSION'],
    message: 'is of no use without a SUPPRESSION_KEY',
  })
  .refine(({ TLS_CERT_FILE, TLS_KEY_FILE }) => (TLS_CERT_FILE === undefined) === (TLS_KEY_FILE === undefined), {
    path: ['TLS_CERT_FILE'],
    message: 'and TLS_KEY_FILE are set together, or neither',
  })
  .refine(({ TLS_CLIENT_CA_FILE, TLS_CERT_FILE }) => TLS_CLIENT_CA_FILE === undefined || TLS_CERT_FILE !== undefined, {
    path: ['TLS_CLIENT_CA_FILE'],
    message: 'is of no use without a TLS_CERT_FILE',
  })
  .refine(({ CLIENT_CERT_HEADER, TRUSTED_PROXIES }) => !CLIENT_CERT_HEADER || TRUSTED_PROXIES !== undefined, {
    path: ['CLIENT_CERT_HEADER'],
    message: 'is of no use without TRUSTED_PROXIES',
  })
  .refine(
    ({ CLIENT_CERTIFICATES, TLS_CLIENT_CA_FILE, CLIENT_CERT_HEADER }) =>
      (CLIENT_CERTIFICATES !== undefined) === (TLS_CLIENT_CA_FILE !== undefined || CLIENT_CERT_HEADER),
    {
      path: ['CLIENT_CERTIFICATES'],
      message: 'is set together with TLS_CLIENT_CA_FILE or CLIENT_CERT_HEADER',
    },
  );

/**
 * The settings, parsed and typed. Nothing else in Concord reads the environment, save OpenTelemetry's own OTEL_*
 * variables.
 */
export type Config = z.output<typeof settings> & {
  /** Of the secrets that were given by a file, which may change, the file by the name of the setting. */
  secretFiles: ReadonlyMap<string, string>;
};

const names = Object.entries(settings.shape);
const secretNames = names.flatMap(([name, schema]) => (isSecretSetting(schema) ? [name] : []));
const otherNames = names.flatMap(([name, schema]) => (isSecretSetting(schema) ? [] : [name]));

/**
 * Reads the settings from an environment, and the secrets that it gives by files.
 * @throws StartupError naming each setting that is wrong.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  // An empty variable, as Compose and Helm write an unset one, counts as absent.
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { given, faults } = withSecretFiles(set, secretNames, otherNames);
  const parsed = settings.safeParse(given);
  if (parsed.success && faults.length === 0) {
    const files = secretNames.map((name) => [name, set[fileSetting(name)]] as const);
    return { ...parsed.data, secretFiles: new Map(files.flatMap(([name, file]) => (file ? [[name, file]] : []))) };
  }
  const issues = parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
  throw new StartupError(`Wrong settings. ${[...faults, ...issues].join('; ')}`);
}
