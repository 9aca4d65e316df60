import { version } from '../../base/version.ts';
import { parametersSchema } from '../../skills/parametersSchema.ts';
import type { Skills } from '../../skills/skill.ts';
import type { AgentCard } from './messages.ts';

/** `GET /agent-card`. @param atOnce how many tasks an agent may have under way */
export function agentCardOf(skills: Skills, atOnce: number): AgentCard {
  return {
    id: 'concord',
    name: 'Concord',
    description: 'A shared knowledge graph: agents query it, propose changes to it and follow its changes.',
    version,
    capabilities: [...skills].map(([name, skill]) => ({
      name,
      description: skill.summary,
      parameters: parametersSchema(skill),
      example: { ...skill.example },
    })),
    streaming: true,
    max_concurrent_tasks: atOnce,
    supported_formats: ['text', 'json'],
  };
}
