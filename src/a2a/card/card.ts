import type { AgentCard, AgentInterface, SecurityScheme } from '@a2a-js/sdk';
import { version } from '../../base/version.ts';
import type { Methods } from '../../calls/call.ts';
import type { Principal } from '../../security/principal.ts';
import type { Skills } from '../../skills/skill.ts';
import { EXTENSION_URI } from '../protocol/extension.ts';
import { protocolVersions } from '../protocol/version.ts';
import { cardSkills } from './skills.ts';

const JSON_MODE = ['application/json'];

export interface CardOptions {
  /** Where the service is reached: PUBLIC_URL, else the address that it listens on. */
  url: string;
  /** Where gRPC is reached, as `host:port`; absent where it isn't served. */
  grpc?: string;
  /** Whether a card of 0.3 names it as a URL, for the conformance kit; the clients that there are want `host:port`. */
  grpcAsUrl?: boolean;
  /** The methods of the extension. */
  methods: Methods;
  /** What messages can ask for. */
  skills: Skills;
  /** The languages of `knowledge/query`. */
  queryLanguages: readonly string[];
  /** Whether the schema is shown. */
  introspection?: boolean;
  /** Whether callers need credentials. */
  identities?: boolean;
  /** Whether they may be known by their certificates. */
  mutualTls?: boolean;
  /** Whether tasks are followed by push notifications. */
  pushNotifications?: boolean;
}

/**
 * The agent card; A2A 1.0, section 4.4.1. The extension stands in `capabilities.extensions` (extension 1.0, section 1).
 * @param principal whose extended card it is: with what the caller is to Concord, and without the skills it may not ask
 *   for
 */
export function agentCard(options: CardOptions, principal?: Principal): AgentCard {
  const { methods, queryLanguages, introspection = true, identities = false, mutualTls = false } = options;
  const schemes = { ...(identities && securitySchemes), ...(mutualTls && mutualTlsScheme) };
  const base = options.url.replace(/\/+$/, '');
  return {
    name: 'Concord',
    description: 'A shared knowledge graph: agents query it, propose changes to it and follow its changes.',
    supportedInterfaces: interfacesOf(base, options),
    provider: undefined,
    version,
    capabilities: {
      streaming: true,
      pushNotifications: options.pushNotifications ?? false,
      // Without identities nobody is told from anybody.
      extendedAgentCard: identities,
      extensions: [
        {
          uri: EXTENSION_URI,
          description: 'Knowledge Graph Collaboration: knowledge/query, knowledge/update, knowledge/subscribe',
          required: false,
          params: {
            methods: [...methods.unary.keys(), ...methods.streaming.keys()],
            queryLanguages,
            ...(introspection && { schema: `${base}/schema.graphql` }),
            endpoint: `${base}/graphql`,
            ...(principal && { caller: callerOf(principal) }),
          },
        },
      ],
    },
    securitySchemes: schemes,
    // One of them is enough.
    securityRequirements: Object.keys(schemes).map((name) => ({ schemes: { [name]: { list: [] } } })),
    defaultInputModes: JSON_MODE,
    defaultOutputModes: JSON_MODE,
    skills: cardSkills(options.skills, principal),
    signatures: [],
  };
}

function interfacesOf(base: string, { grpc, grpcAsUrl }: Pick<CardOptions, 'grpc' | 'grpcAsUrl'>): AgentInterface[] {
  return protocolVersions.flatMap((protocolVersion) => {
    const binding = (protocolBinding: string, url: string) => ({
      url,
      protocolBinding,
      tenant: '',
      protocolVersion,
    });
    const isOld = protocolVersion === '0.3';
    return [
      binding('JSONRPC', `${base}/a2a`),
      // The paths of 0.3 begin with /v1 of their own.
      binding('HTTP+JSON', isOld ? `${base}/a2a` : `${base}/a2a/v1`),
      ...(grpc === undefined ? [] : [binding('GRPC', grpcAsUrl && isOld ? `http://${grpc}` : grpc)]),
    ];
  });
}

/** What the caller is to Concord, for its extended card. */
function callerOf({ tenant, agentId, scopes, graphs }: Principal): object {
  return {
    tenant,
    ...(agentId !== undefined && { agentId }),
    scopes: [...scopes],
    ...(graphs && { graphs: [...(graphs.default ? ['default'] : []), ...graphs.named] }),
  };
}

const securitySchemes: Record<string, SecurityScheme> = {
  bearer: {
    scheme: {
      $case: 'httpAuthSecurityScheme',
      value: {
        description: 'A token of the identity provider, or an API key',
        scheme: 'Bearer',
        bearerFormat: 'JWT',
      },
    },
  },
  apiKey: {
    scheme: {
      $case: 'apiKeySecurityScheme',
      value: { description: 'An API key of Concord', location: 'header', name: 'X-API-Key' },
    },
  },
};

const mutualTlsScheme: Record<string, SecurityScheme> = {
  certificate: {
    scheme: { $case: 'mtlsSecurityScheme', value: { description: 'A certificate that Concord knows the holder of' } },
  },
};
