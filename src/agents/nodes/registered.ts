import type {
  AgentCredentials,
  AgentProfile,
  AgentStatus,
  CardSignature,
  RegisteredAgent,
  RegisteredAgentWithCard,
} from '../../wire/agents.ts';
import type { KeySet } from '../cards/signature.ts';
import type { SealedCredentials } from '../secrets/credentials.ts';
import { searchWordsOf } from './searchWords.ts';

/** One agent of a tenant. */
export interface AgentKey {
  tenant: string;
  id: string;
}

/** What a registration says of an agent. */
export interface Registration {
  profile: AgentProfile;
  /** The card as it was given: JSON. */
  card: string;
  cardUrl?: string;
  signature: CardSignature;
  /** Further tags, in lower case. */
  ownTags: string[];
  /** Keys that verify its card, when it is fetched again. */
  keys?: KeySet;
  /** Of a card that was fetched. */
  fetched?: { etag?: string; freshMs: number };
  /** Absent keeps what there is, null takes it away. */
  credentials?: SealedCredentials | null;
}

/** What the node of a registered agent has, beside its key. Points in time are ISO 8601. */
export interface AgentRow extends Omit<AgentProfile, 'endpoints' | 'skills'> {
  id: string;
  /** JSON. */
  endpoints: string;
  skills: string;
  card: string | null;
  cardUrl: string | null;
  addedBy: string;
  registeredAt: string;
  changedAt: string;
  signature: CardSignature;
  status: AgentStatus;
  statusSince: string;
  lastSeen: string | null;
  failures: number;
  failure: string | null;
  failingSince: string | null;
  credentials: AgentCredentials['scheme'] | null;
}

/** What a registered agent is compared by with what is looked for: its texts, of long ones the beginning. */
export interface AgentTexts {
  id: string;
  name: string;
  description: string;
  tags: string[];
  /** Ids and names of skills. */
  skillIds: string[];
  /** Descriptions of skills. */
  skillTexts: string[];
  /** Whether it has the very skill, and the very tag. */
  hasSkill: boolean;
  hasTag: boolean;
}

/** An `AgentTexts` of a registered agent `a`, in Cypher. */
export const returnedTexts = `
  RETURN a {.id, .name, description: left(a.description, 1000), tags: a.tags[..50],
    skillIds: coalesce(a.skillIds[..100], []), skillTexts: [text IN a.skillTexts[..30] | left(text, 300)],
    hasSkill: any(name IN coalesce(a.skillIds, []) WHERE toLower(name) = $skill), hasTag: $tag IN a.tags} AS agent`;

/** What the words of a registered agent are made of. */
export type WordedAgent = AgentKey & Parameters<typeof wordsOf>[1];

/** A `WordedAgent` of a registered agent `a`, in Cypher. */
export const returnedWords = `
  RETURN a {.tenant, .id, .name, .description, .tags, skillIds: coalesce(a.skillIds, []),
    skillTexts: coalesce(a.skillTexts, [])} AS agent`;

/** How long what is told of an agent is, in characters. */
export interface SizedAgent {
  id: string;
  size: number;
}

/** A `SizedAgent` of a registered agent `a`, in Cypher. */
export const returnedSize = `
  RETURN a {.id, size: size(a.skills) + size(a.endpoints) + size(a.description) +
    reduce(all = 0, each IN a.tags + coalesce(a.extensions, []) | all + size(each))} AS agent`;

/** An `AgentRow` of a registered agent `a`, in Cypher. */
const returning = (card: string) => `
  RETURN a {.id, .name, .description, .version, .provider, .protocol, .protocolVersion, .endpoints, .skills, .tags,
    .capabilities, .extensions, .cardUrl, .addedBy, .signature, .status, .failures, .failure, ${card},
    registeredAt: toString(a.registeredAt), changedAt: toString(a.changedAt), statusSince: toString(a.statusSince),
    lastSeen: toString(a.lastSeen), failingSince: toString(a.failingSince),
    credentials: COLLECT {
      MATCH (c:AgentCredentials {tenant: a.tenant, id: a.id}) USING INDEX SEEK c:AgentCredentials(tenant, id)
      RETURN c.scheme
    }[0]} AS agent`;

/** Without its card, which may be long. */
export const returned = returning('card: null');
export const returnedWithCard = returning('.card');

/** The properties of a registration that its card doesn't have, as the database takes them. */
export function propertiesOf(
  tenant: string,
  { profile, card, cardUrl, signature, ownTags, keys }: Omit<Registration, 'fetched' | 'credentials'>,
) {
  return {
    ...cardProperties(tenant, profile, ownTags),
    ...{ card, signature, ownTags },
    cardUrl: cardUrl ?? null,
    keys: keys ? JSON.stringify(keys) : null,
  };
}

/** What a card says, as the database takes it. */
export function cardProperties(tenant: string, profile: AgentProfile, ownTags: readonly string[]) {
  const { endpoints, skills, version = null, provider = null, ...plain } = profile;
  const tags = [...new Set([...ownTags, ...profile.tags])];
  const skillIds = [...new Set(skills.flatMap(({ id, name }) => [id, name]))];
  const skillTexts = skills.flatMap(({ description = [] }) => description);
  return {
    ...plain,
    ...{ version, provider },
    endpoints: JSON.stringify(endpoints),
    skills: JSON.stringify(skills),
    ...{ tags, skillIds, skillTexts },
    searchWords: wordsOf(tenant, { ...plain, tags, skillIds, skillTexts }),
  };
}

/** What an agent is found by, as the index has it; of long texts what it is compared by. */
export function wordsOf(
  tenant: string,
  { name, description, tags, skillIds, skillTexts }: Pick<AgentTexts, 'name' | 'description' | 'tags'> & SkillTexts,
): string {
  const names = [...new Set([name, ...skillIds, ...tags].flatMap(inWords))];
  return searchWordsOf(tenant, [...names, description.slice(0, 1_000), ...skillTexts.slice(0, 30).map(beginning)]);
}

type SkillTexts = Pick<AgentTexts, 'skillIds' | 'skillTexts'>;
const beginning = (text: string) => text.slice(0, 300);

/** A name, and where it is another text its words: `search_contacts` → `search contacts` */
function inWords(name: string): string[] {
  const words = name.replace(/[_./:]+/g, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return words === name ? [name] : [name, words];
}

/** Every property that an agent has by being registered: all but its key, its trust and what it does here. */
export const registrationProperties = [
  ...['name', 'description', 'version', 'provider', 'protocol', 'protocolVersion', 'endpoints', 'skills', 'tags'],
  ...[
    'ownTags',
    'skillIds',
    'skillNames',
    'searchWords',
    'skillTexts',
    'capabilities',
    'extensions',
    'card',
    'cardUrl',
    'keys',
    'addedBy',
  ],
  ...['registeredAt', 'changedAt', 'signature', 'status', 'statusSince', 'lastSeen', 'failures', 'failure'],
  ...['failingSince', 'etag', 'freshUntil', 'leaseUntil', 'replica', 'updatedAt'],
];

/** What callers are told of it. */
export function agentOf(row: AgentRow): RegisteredAgent {
  const { card: _, endpoints, skills, addedBy, cardUrl, lastSeen, failures, failure, failingSince, credentials } = row;
  const { version, provider, ...plain } = row;
  return {
    id: plain.id,
    name: plain.name,
    description: plain.description,
    ...(version != null && { version }),
    ...(provider != null && { provider }),
    protocol: plain.protocol,
    protocolVersion: plain.protocolVersion,
    endpoints: JSON.parse(endpoints),
    skills: JSON.parse(skills),
    tags: plain.tags,
    capabilities: plain.capabilities,
    extensions: plain.extensions,
    ...(cardUrl !== null && { cardUrl }),
    ...(addedBy !== '' && { addedBy }),
    registeredAt: utc(plain.registeredAt),
    changedAt: utc(plain.changedAt),
    signature: plain.signature,
    status: plain.status,
    statusSince: utc(plain.statusSince),
    ...(lastSeen !== null && { lastSeen: utc(lastSeen) }),
    ...(failure !== null &&
      failingSince !== null && { failure: { reason: failure, attempts: failures, since: utc(failingSince) } }),
    ...(credentials !== null && { credentials }),
  };
}

export function withCard(row: AgentRow): RegisteredAgentWithCard {
  return { ...agentOf(row), card: JSON.parse(row.card ?? '{}') };
}

/** Neo4j gives as many digits of a second as it has. */
const utc = (time: string) => new Date(time).toISOString();
