import { z } from 'zod';
import type { AgentProfile } from '../../wire/agents.ts';
import {
  absent,
  address,
  extensions,
  line,
  listOf,
  mostEndpoints,
  mostSkills,
  prose,
  provider,
  saidYes,
  skillName,
  tag,
  tagsOf,
} from './shapes.ts';

const skills = listOf(
  z.looseObject({ id: skillName, name: absent(skillName), description: absent(prose), tags: listOf(tag, 50) }),
  mostSkills,
);

const shared = {
  name: line(200).min(1, 'is empty'),
  description: absent(prose),
  version: absent(line(100)),
  provider: absent(provider),
  skills,
};

const capabilities = absent(z.looseObject({ extensions }));

/** gRPC is reached by `host:port`, or by a URL. */
const endpoint = z
  .looseObject({
    url: line(2_048),
    protocolBinding: line(100).min(1, 'is empty'),
    protocolVersion: absent(line(50)),
  })
  .refine(({ url, protocolBinding }) => isAddressOf(url, protocolBinding), {
    path: ['url'],
    error: 'is no address of its binding',
  });

function isAddressOf(url: string, binding: string): boolean {
  if (binding === 'GRPC' && /^[\w.-]+:\d{1,5}$|^\[[\da-f:.]+\]:\d{1,5}$/i.test(url)) return true;
  return address.safeParse(url).success;
}

/** A card of A2A 1.0, section 4.4.1. */
export const a2aCard = z
  .looseObject({
    ...shared,
    capabilities,
    supportedInterfaces: z.array(endpoint).min(1, 'is empty').max(mostEndpoints, `has more than ${mostEndpoints}`),
  })
  .transform(({ supportedInterfaces, ...card }): AgentProfile => {
    const endpoints = supportedInterfaces.map(({ url, protocolBinding: binding, protocolVersion: version }) => ({
      ...{ url, binding },
      ...(version !== undefined && { version }),
    }));
    const versions = endpoints.flatMap(({ version = [] }) => version);
    return { ...profileOf(card), protocolVersion: newest(versions) ?? '1.0', endpoints };
  });

/** A card of A2A 0.3, section 5.5. */
export const a2aLegacyCard = z
  .looseObject({
    ...shared,
    capabilities,
    protocolVersion: line(50).min(1, 'is empty'),
    url: line(2_048),
    preferredTransport: absent(line(100)),
    additionalInterfaces: listOf(z.looseObject({ url: line(2_048), transport: line(100) }), mostEndpoints),
  })
  .transform(({ url, preferredTransport = 'JSONRPC', additionalInterfaces, protocolVersion, ...card }, context) => {
    const all = [{ url, transport: preferredTransport }, ...additionalInterfaces];
    const wrong = all.findIndex((each) => !isAddressOf(each.url, each.transport));
    if (wrong >= 0) {
      const path = wrong === 0 ? ['url'] : ['additionalInterfaces', wrong - 1, 'url'];
      context.addIssue({ code: 'custom', path, message: 'is no address of its transport' });
      return z.NEVER;
    }
    const named = new Map(all.map((each) => [`${each.transport} ${each.url}`, each]));
    const version = protocolVersion;
    const endpoints = [...named.values()].map((each) => ({ url: each.url, binding: each.transport, version }));
    return { ...profileOf(card), protocolVersion, endpoints } satisfies AgentProfile;
  });

/** A card of the first A2A: `agent.json`, without a version of the protocol. */
export const firstA2aCard = z
  .looseObject({ ...shared, capabilities: absent(z.looseObject({})), url: address })
  .transform(({ url, ...card }): AgentProfile => {
    return {
      ...profileOf({ ...card, capabilities: card.capabilities && { ...card.capabilities, extensions: [] } }),
      protocol: 'first-a2a',
      protocolVersion: '2025-04',
      endpoints: [{ url, binding: 'JSONRPC' }],
    };
  });

interface SharedParts {
  name: string;
  description?: string;
  version?: string;
  provider?: z.output<typeof provider>;
  capabilities?: { extensions: { uri: string }[]; [name: string]: unknown };
  skills: z.output<typeof skills>;
}

function profileOf(card: SharedParts): Omit<AgentProfile, 'protocolVersion' | 'endpoints'> {
  const named = card.skills.map(({ id, name = id, description, tags }) => ({
    ...{ id, name, tags },
    ...(description !== undefined && { description }),
  }));
  return {
    protocol: 'a2a',
    name: card.name,
    description: card.description ?? '',
    ...(card.version !== undefined && { version: card.version }),
    ...(card.provider?.organization !== undefined && { provider: card.provider.organization }),
    skills: named,
    tags: tagsOf(named),
    capabilities: saidYes(card.capabilities),
    extensions: (card.capabilities?.extensions ?? []).map(({ uri }) => uri),
  };
}

function newest(versions: string[]): string | undefined {
  return versions.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1);
}
