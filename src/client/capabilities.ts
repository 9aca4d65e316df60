import type { QueryLanguage } from '../wire/types.ts';
import type { AgentCard } from './card.ts';
import { CapabilityError } from './errors.ts';

/**
 * Makes sure that the agent serves `knowledge/*` with GraphQL. Knowledge graph extension 1.0, section 1.
 * @throws CapabilityError
 */
export function requireKnowledgeGraph({ capabilities }: AgentCard): void {
  if (capabilities.knowledgeGraph !== true) {
    throw new CapabilityError(
      'The agent has no knowledge graph: capabilities.knowledgeGraph of its card is not true',
      'capabilities.knowledgeGraph',
    );
  }
}

/** @throws CapabilityError */
export function requireLanguage(card: AgentCard, language: QueryLanguage): void {
  requireKnowledgeGraph(card);
  const languages = card.capabilities.knowledgeGraphQueryLanguages;
  if (Array.isArray(languages) && languages.includes(language)) return;
  throw new CapabilityError(
    `The agent does not take this language: capabilities.knowledgeGraphQueryLanguages of its card lacks "${language}"`,
    'capabilities.knowledgeGraphQueryLanguages',
  );
}

/** @throws CapabilityError */
export function requireSubscriptions(card: AgentCard): void {
  requireLanguage(card, 'graphql');
  requireStreaming(card);
}

/**
 * Makes sure that the endpoint speaks A2A 1.0, and streams if that is needed.
 * @throws CapabilityError
 */
export function requireTasks(card: AgentCard, streaming: boolean): void {
  const endpoint = card.supportedInterfaces?.find(({ protocolBinding }) => protocolBinding === 'JSONRPC');
  if (!endpoint?.protocolVersion?.startsWith('1.')) {
    throw new CapabilityError(
      'The agent has no tasks of A2A 1.0: supportedInterfaces of its card does not begin JSONRPC with 1.0',
      'supportedInterfaces',
    );
  }
  if (streaming) requireStreaming(card);
}

function requireStreaming({ capabilities }: AgentCard): void {
  if (capabilities.streaming === true) return;
  throw new CapabilityError(
    'The agent does not stream: capabilities.streaming of its card is not true',
    'capabilities.streaming',
  );
}
