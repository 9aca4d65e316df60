import type { AgentCard } from '@a2a-js/sdk';
import type { AgentSkill } from './skill.ts';

export interface CardParts {
  name: string;
  description: string;
  version: string;
  skills: AgentSkill[];
  /** Where the agent is reached. */
  url: string;
  /** Whether callers send a token. */
  isProtected: boolean;
}

const modes = ['text/plain', 'application/json'];

/** The card of an agent of this kit: A2A 1.0, section 4.4.1; its endpoint speaks 0.3 too. */
export function cardOf({ name, description, version, skills, url, isProtected }: CardParts): AgentCard {
  return {
    name,
    description,
    version,
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      tenant: '',
      protocolVersion,
    })),
    provider: undefined,
    documentationUrl: undefined,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: isProtected ? { bearer: bearerScheme } : {},
    securityRequirements: isProtected ? [{ schemes: { bearer: { list: [] } } }] : [],
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: skills.map(({ id, name, description, tags, examples = [] }) => ({
      id,
      name,
      description,
      tags,
      examples,
      inputModes: [],
      outputModes: [],
      securityRequirements: [],
    })),
    signatures: [],
  };
}

const bearerScheme: AgentCard['securitySchemes'][string] = {
  scheme: {
    $case: 'httpAuthSecurityScheme',
    value: { description: 'The token of the agent', scheme: 'Bearer', bearerFormat: '' },
  },
};
