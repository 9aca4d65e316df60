import { z } from 'zod';
import { KeyedLimits } from '../base/keyedLimits.ts';
import { refuse } from '../base/reasons.ts';
import type { UnaryMethod } from '../calls/call.ts';
import { invalidParams, parseParams } from '../calls/params.ts';
import { identifier, optional, text } from '../knowledge/patch.ts';
import type { RegisteredAgent } from '../wire/agents.ts';
import { answering } from './answering.ts';
import { checkCard } from './cards/checkCard.ts';
import { limited, tag } from './cards/shapes.ts';
import { keySet } from './cards/signature.ts';
import { fetchCard } from './fetching/fetchCard.ts';
import type { FetchingParts } from './fetching/fetchJson.ts';
import type { AgentStore } from './nodes/agentStore.ts';
import { agentOf, type Registration } from './nodes/registered.ts';
import { registrarOf } from './nodes/rights.ts';
import { type CredentialKeeper, credentials } from './secrets/credentials.ts';

const params = z
  .strictObject({
    id: optional(limited(identifier)),
    url: optional(text(2_048)),
    card: optional(z.record(z.string(), z.unknown())),
    tags: optional(z.array(limited(tag)).max(50, 'has more than 50')),
    keys: optional(limited(keySet)),
    credentials: credentials.nullish(),
  })
  .refine(({ url, card }) => (url === undefined) !== (card === undefined), {
    path: ['url'],
    error: "and 'card' are both given, or neither; give one of them",
  });

type Asked = Omit<z.output<typeof params>, 'id'>;

export interface RegisterParts {
  store: AgentStore;
  fetching: FetchingParts;
  keeper: CredentialKeeper;
  /** Whether an id is taken by Concord's own agents and paths, beside which others are to be called. */
  isOwnId(id: string): boolean;
}

/** Cards of one caller that are fetched at a time: else it could have others' servers called by the thousand. */
const fetchedAtOnce = 4;

/**
 * `agents/register`, beyond the specification: makes an agent known to the tenant by its card or by the address of it,
 * or replaces what is known of it.
 * @throws ConcordError -32600, -32602
 */
export function registerMethod(parts: RegisterParts): UnaryMethod<RegisteredAgent> {
  const limits = new KeyedLimits(fetchedAtOnce);
  return answering(params, async (raw, { principal, signal }) => {
    const { tenant, agentId } = principal;
    const { id = agentId, ...asked } = parseParams(params, raw);
    if (id === undefined) throw invalidParams([{ path: ['id'], message: 'is missing, and no agent calls' }]);
    if (parts.isOwnId(id)) throw refuse('own-agent-id', `${id} is what an agent or a path of Concord's own is called`);
    const key = { tenant, id };
    const by = registrarOf(principal);
    // Before anything is fetched for it.
    await parts.store.requireRight(key, by);
    const caller = JSON.stringify([tenant, agentId ?? '']);
    const registration = await limits.run(caller, () => registrationOf(parts, asked, signal));
    const sealed = asked.credentials && parts.keeper.sealed(key, asked.credentials, registration.profile.endpoints);
    const kept = asked.credentials === undefined ? {} : { credentials: sealed ?? null };
    return agentOf(await parts.store.register(key, by, { ...registration, ...kept }));
  });
}

async function registrationOf(
  { fetching }: RegisterParts,
  { url, card, tags = [], keys }: Asked,
  signal: AbortSignal,
): Promise<Registration> {
  const ownTags = [...new Set(tags.map((each) => each.toLowerCase()))];
  const own = { ownTags, ...(keys && { keys }) };
  if (url !== undefined) {
    const { url: cardUrl, text, profile, signature, ...fetched } = await fetchCard(fetching, url, { keys, signal });
    return { profile, card: text, cardUrl, signature, fetched, ...own };
  }
  // Nobody says where it is from, so that no key is fetched for it.
  const { text, profile, signature } = await checkCard(card ?? {}, async () => keys);
  return { profile, card: text, signature, ...own };
}
