import type { AgentCard, AgentSkill, SecurityScheme } from '@a2a-js/sdk';
import { EXTENSION_URI } from '../protocol/extension.ts';

/**
 * The card as A2A 0.3 has it (section 5.5), with the extension also as the flags of its draft (extension 1.0, section
 * 1), for which the card of A2A 1.0 has no room.
 */
export function legacyCard(card: AgentCard): object {
  const interfaces = card.supportedInterfaces
    .filter(({ protocolVersion }) => protocolVersion === '0.3')
    .map(({ url, protocolBinding: transport }) => ({ url, transport }));
  const extensions = card.capabilities?.extensions ?? [];
  const knowledge = extensions.find(({ uri }) => uri === EXTENSION_URI);
  const secured = card.securityRequirements.length > 0;
  return {
    protocolVersion: '0.3.0',
    name: card.name,
    description: card.description,
    url: interfaces[0]?.url ?? '',
    preferredTransport: 'JSONRPC',
    additionalInterfaces: interfaces,
    version: card.version,
    capabilities: {
      streaming: card.capabilities?.streaming ?? false,
      pushNotifications: card.capabilities?.pushNotifications ?? false,
      stateTransitionHistory: false,
      ...(knowledge && {
        knowledgeGraph: true,
        knowledgeGraphQueryLanguages: knowledge.params?.queryLanguages as string[],
      }),
      extensions,
    },
    supportsAuthenticatedExtendedCard: card.capabilities?.extendedAgentCard ?? false,
    ...(secured && {
      // For clients of the first A2A, to which this is what `securitySchemes` is to those of 0.3.
      authentication: { schemes: ['Bearer', 'ApiKey'] },
      securitySchemes: Object.fromEntries(
        Object.entries(card.securitySchemes).map(([name, scheme]) => [name, schemeOf(scheme)]),
      ),
      security: card.securityRequirements.map(({ schemes }) =>
        Object.fromEntries(Object.entries(schemes).map(([name, { list }]) => [name, list])),
      ),
    }),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(({ securityRequirements: _, ...skill }: AgentSkill) => skill),
  };
}

function schemeOf({ scheme }: SecurityScheme): object | undefined {
  if (scheme?.$case === 'httpAuthSecurityScheme') return { type: 'http', ...scheme.value };
  if (scheme?.$case === 'mtlsSecurityScheme') return { type: 'mutualTLS', ...scheme.value };
  if (scheme?.$case !== 'apiKeySecurityScheme') return undefined;
  const { location, ...rest } = scheme.value;
  return { type: 'apiKey', in: location, ...rest };
}
