import { readFileSync } from 'node:fs';
import type { Methods } from '../knowledge/call.ts';
import { skills } from './skills.ts';

/** Names the extension in cards and in requests; it does not change while the extension's version doesn't. */
export const EXTENSION_URI = 'urn:a2a:extension:knowledge-graph-collaboration:1.0';

const JSON_MODE = ['application/json'];

/** Concord's version, from package.json, which lies two folders up from here in `src` as in `dist`. */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export interface CardOptions {
  /** Where the service is reached: PUBLIC_URL, else the address that it listens on. */
  url: string;
  methods: Methods;
  /** The languages of `knowledge/query`. */
  queryLanguages: readonly string[];
  /** Whether the schema is shown. */
  introspection?: boolean;
}

export type AgentCard = ReturnType<typeof agentCard>;

/**
 * The agent card, with the fields of A2A 0.3, section 5.5, and the extension in both of its forms: as an entry of
 * `capabilities.extensions`, and as the flags of the draft (extension 1.0, section 1).
 */
export function agentCard({ url, methods, queryLanguages, introspection = true }: CardOptions) {
  const base = url.replace(/\/+$/, '');
  return {
    protocolVersion: '0.3.0',
    name: 'Concord',
    description: 'A shared knowledge graph: agents query it, propose changes to it and follow its changes.',
    url: `${base}/a2a`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url: `${base}/a2a`, transport: 'JSONRPC' }],
    version,
    capabilities: {
      streaming: true,
      pushNotifications: false,
      stateTransitionHistory: false,
      knowledgeGraph: true,
      knowledgeGraphQueryLanguages: queryLanguages,
      extensions: [
        {
          uri: EXTENSION_URI,
          description:
            'Knowledge Graph Collaboration: knowledge/query, knowledge/update, knowledge/subscribe',
          required: false,
          params: {
            methods: [...methods.unary.keys(), ...methods.streaming.keys()],
            queryLanguages,
            ...(introspection && { schema: `${base}/schema.graphql` }),
            endpoint: `${base}/graphql`,
          },
        },
      ],
    },
    defaultInputModes: JSON_MODE,
    defaultOutputModes: JSON_MODE,
    skills,
  };
}
