import { z } from 'zod';
import { StartupError } from '../base/errors.ts';
import { parseAllowed } from './allowedReceivers.ts';
import { identitySettings } from './identity.ts';

/** A port; 0 lets the system choose. */
const port = z.coerce.number().int().min(0).max(65535);
const count = (otherwise: number) => z.coerce.number().int().positive().default(otherwise);

/** `agent=trust` pairs, comma-separated, trust within 0..1. */
const trust = z
  .string()
  .default('')
  .transform((text, context) => {
    const pairs = new Map<string, number>();
    for (const pair of text.split(',').filter(Boolean)) {
      const at = pair.lastIndexOf('=');
      const value = Number(pair.slice(at + 1));
      if (at < 1 || !(value >= 0 && value <= 1)) {
        context.addIssue({ code: 'custom', message: `'${pair}' is not agent=trust with trust from 0 to 1` });
        return z.NEVER;
      }
      pairs.set(pair.slice(0, at).trim(), value);
    }
    return pairs;
  });

/** Hosts, addresses and blocks of addresses, comma-separated. */
const receivers = z
  .string()
  .default('')
  .transform((text, context) => {
    try {
      return parseAllowed(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

/** Every setting, by the name of its environment variable. The README's table is made of this. */
const settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(4000),
  GRPC_PORT: port.optional(),
  GRPC_PUBLIC_ADDRESS: z.string().optional(),
  PUBLIC_URL: z.url().optional(),
  DATA_DIR: z.string().default('.concord'),
  VOCABULARY: z.string().optional(),
  VOCABULARY_MODE: z.enum(['open', 'closed']).default('open'),
  RULES: z.string().optional(),
  POLICY: z.string().optional(),
  AGENT_TRUST: trust,
  NEO4J_URI: z.string().optional(),
  NEO4J_USER: z.string().default('neo4j'),
  NEO4J_PASSWORD: z.string().optional(),
  NEO4J_READER_USER: z.string().optional(),
  NEO4J_READER_PASSWORD: z.string().optional(),
  NEO4J_DATABASE: z.string().default('neo4j'),
  NEO4J_SERVER: z.enum(['auto', 'embedded', 'docker']).default('auto'),
  NEO4J_BOLT_PORT: port.optional(),
  NEO4J_HTTP_PORT: port.optional(),
  NEO4J_HEAP: z
    .string()
    .regex(/^\d+[mg]$/)
    .default('1g'),
  INTROSPECTION: z.stringbool().default(true),
  CYPHER: z.stringbool().optional(),
  MAX_BODY_BYTES: count(16 * 1024 * 1024),
  MAX_MUTATIONS: count(10_000),
  QUERY_TIMEOUT_MS: count(30_000),
  QUERY_MAX_DEPTH: count(15),
  QUERY_MAX_COST: count(2_000_000),
  QUERY_MAX_ROWS: count(100_000),
  QUERY_MAX_BYTES: count(32 * 1024 * 1024),
  QUERY_MAX_CONCURRENT: count(64),
  UPDATE_TIMEOUT_MS: count(120_000),
  UPDATE_QUEUE: count(1_000),
  IDEMPOTENCY_KEY_HOURS: count(7 * 24),
  FEED_POLL_MS: count(100),
  FEED_STALE_MS: count(10_000),
  HEARTBEAT_MS: count(15_000),
  SUBSCRIBER_BUFFER: count(10_000),
  SHUTDOWN_MS: count(10_000),
  TASK_TIMEOUT_MS: count(300_000),
  // Of what a timer takes.
  TASK_WATCH_MS: z.coerce.number().int().positive().max(2_147_483_647).default(3_600_000),
  TASK_WATCH_CHANGES: count(10_000),
  TASK_MAX_CONCURRENT: count(64),
  TASK_MAX_RUNNING: count(1_000),
  TASK_MAX_HISTORY: count(1_000),
  TASK_MAX_ARTIFACT_BYTES: count(8 * 1024 * 1024),
  TASK_RETENTION_HOURS: count(30 * 24),
  MODEL_URL: z.url({ protocol: /^https?$/ }).optional(),
  MODEL_NAME: z.string().optional(),
  MODEL_KEY: z.string().optional(),
  STREAM_MAX_CONCURRENT: count(64),
  STREAM_MAX_OPEN: count(2_000),
  PUSH_ALLOW: receivers,
  AGENT_CARD_VERSION: z.enum(['1.0', '0.3']).default('1.0'),
  AGENT_CARD_KEY: z.string().optional(),
  A2A_KIT: z.stringbool().default(false),
  ...identitySettings,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

/** The settings, parsed and typed. Nothing else in Concord reads the environment, save OpenTelemetry's own OTEL_* variables. */
export type Config = z.output<typeof settings>;

/**
 * Reads the settings from an environment.
 * @throws StartupError naming each setting that is wrong.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  // An empty variable, as Compose and Helm write an unset one, counts as absent.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settings.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new StartupError(`Wrong settings. ${faults.join('; ')}`);
}
