import { z } from 'zod';
import type { AgentProfile } from '../../wire/agents.ts';
import { absent, address, line, listOf, mostSkills, prose, skillName, tagsOf } from './shapes.ts';

/** An address that messages are posted to. */
const endpoint = address.refine((text) => /^https?:/i.test(text), 'is no address of http or https');

/**
 * The card of an agent of ONE, which knows none: what its messages say in `from`, with a name and a description where
 * it has them. Its capabilities are what it can be asked for, and the tags that it is found by.
 */
export const oneCard = z
  .looseObject({
    agentId: line(200).min(1, 'is empty'),
    endpoint,
    capabilities: listOf(skillName, mostSkills),
    name: absent(line(200).min(1, 'is empty')),
    description: absent(prose),
    version: absent(line(100)),
  })
  .transform(({ agentId, endpoint: url, capabilities, name = agentId, description = '', version }): AgentProfile => {
    const skills = [...new Set(capabilities)].map((each) => ({ id: each, name: each, tags: [each.slice(0, 100)] }));
    return {
      protocol: 'one',
      protocolVersion: '1.0',
      ...{ name, description },
      ...(version !== undefined && { version }),
      endpoints: [{ url, binding: 'HTTP', version: '1.0' }],
      skills,
      tags: tagsOf(skills),
      capabilities: ['pushNotifications'],
      extensions: [],
    };
  });
