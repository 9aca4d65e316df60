import { z } from 'zod';
import { count, flag, keys, optional, receivers, time } from './kinds.ts';
import { secretSetting } from './secretSetting.ts';

/** The settings of registered agents, by the names of their environment variables; a part of those in `config.ts`. */
export const agentSettings = {
  AGENTS_PER_TENANT: count(10_000).describe('Most agents that a tenant has registered'),
  AGENT_ALLOW: receivers.describe(
    'Addresses of registered agents and their cards that may be private and need no https: hosts, addresses and blocks, comma-separated',
  ),
  AGENT_CHECK_INTERVAL_S: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(60)
    .describe('How often, in seconds, it is looked whether an agent is up; more rarely while it is down'),
  DELEGATION_TIMEOUT_MS: time(3_600_000).describe('Longest delegated task, where it has no earlier deadline'),
  DELEGATION_ANSWER_MS: time(30_000).describe(
    'How long a registered agent may take to answer a request; its task may take longer',
  ),
  WORKFLOW_TIMEOUT_MS: time(24 * 3_600_000).describe('Longest workflow, where it has no earlier deadline'),
  WORKFLOW_STEPS_AT_ONCE: count(10).describe('Most steps of one workflow that are under way at a time'),
  WORKFLOW_MAX_RESULT_BYTES: count(8 * 1024 * 1024).describe(
    'Longest results, together, of the steps that one step of a workflow needs. Longer ones fail it',
  ),
  AGENT_CERTIFICATES: optional(
    'Folder of client certificates for agents, `TENANT/NAME/tls.crt` and `tls.key`; and `ca.crt`, where the certificate of the agent is of an authority of its own ([credentials](agents.md#credentials))',
  ),
  AGENT_SECRETS_KEY: secretSetting(
    'Secret of 32 characters or more, under which the credentials for agents are encrypted; or several, one a line: the first encrypts, and all decrypt ([a change of the key](agents.md#credentials)). Without it none are taken',
    keys,
  ),
};

/** Those of Concord's own card and messages. */
export const cardSettings = {
  AGENT_CARD_VERSION: z
    .enum(['1.0', '0.3'])
    .default('1.0')
    .describe('Which card a request without `A2A-Version` gets; `0.3` for old clients'),
  AGENT_CARD_KEY: secretSetting(
    'Private key in PEM, or its file, that signs the card, push notifications and messages of [ONE](one.md): EC, Ed25519 or RSA',
  ),
  AGENT_ENCRYPTION_KEY: secretSetting(
    "Private key in PEM, or its file, that others encrypt messages of [ONE](one.md) for: EC, X25519 or RSA, and another than `AGENT_CARD_KEY`'s",
  ),
  A2A_KIT: flag
    .default(false)
    .describe("Answers as A2A's conformance kit expects where specification 1.0.1 says otherwise"),
};
