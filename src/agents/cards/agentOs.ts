import { z } from 'zod';
import type { AgentEndpoint, AgentProfile } from '../../wire/agents.ts';
import { absent, address, line, listOf, mostSkills, prose, saidYes, skillName } from './shapes.ts';

/**
 * A card of AgentOS 0.3.0, section 2. Its endpoints stand behind the agent's address, which is where the card lies,
 * without its well-known path.
 * @param base the agent's address; absent where it isn't known
 */
export function agentOsCard(base: string | undefined) {
  const endpoint = line(2_048).transform((given, context) => {
    const url =
      base === undefined || URL.canParse(given) ? given : `${base.replace(/\/+$/, '')}/${given.replace(/^\/+/, '')}`;
    if (address.safeParse(url).success) return url;
    const message = base === undefined ? 'is relative; register the agent by its address' : 'is no address';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
  return z
    .looseObject({
      protocolVersion: absent(line(50)),
      id: line(200).min(1, 'is empty'),
      name: line(200).min(1, 'is empty'),
      description: absent(prose),
      version: absent(line(100)),
      endpoints: z.looseObject({ rpc: endpoint, ws: absent(endpoint) }),
      capabilities: absent(z.looseObject({})),
      skills: listOf(
        z.looseObject({
          name: skillName,
          description: absent(prose),
          parameters: absent(z.record(z.string(), z.unknown())),
        }),
        mostSkills,
      ),
    })
    .transform(({ endpoints: { rpc, ws }, ...card }): AgentProfile => {
      const version = card.protocolVersion ?? '0.3.0';
      const endpoints: AgentEndpoint[] = [{ url: rpc, binding: 'JSONRPC', version }];
      if (ws !== undefined) endpoints.push({ url: ws.replace(/^http/, 'ws'), binding: 'WEBSOCKET', version });
      return {
        protocol: 'agentos',
        protocolVersion: version,
        name: card.name,
        description: card.description ?? '',
        ...(card.version !== undefined && { version: card.version }),
        endpoints,
        skills: card.skills.map(({ name, description, parameters }) => ({
          ...{ id: name, name, tags: [] },
          ...(description !== undefined && { description }),
          ...(parameters !== undefined && { parameters }),
        })),
        tags: [],
        capabilities: saidYes(card.capabilities),
        extensions: [],
      };
    });
}
