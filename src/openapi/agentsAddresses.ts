import type { Methods } from '../calls/call.ts';
import type { Components, JsonSchema } from './components.ts';
import { type Addresses, answers, anyObject, body, inPath, inQuery, json, ok } from './operation.ts';

const tags: [string] = ['Agents'];
const page: JsonSchema = {
  type: 'object',
  required: ['agents'],
  properties: { agents: { type: 'array', items: anyObject }, next: { type: 'string' } },
};

/** The registry over plain HTTP. */
export function agentAddresses({ unary }: Methods, components: Components): Addresses {
  const error = { $ref: '#/components/schemas/A2aError' };
  const paramsOf = (method: string): JsonSchema => {
    const { params } = unary.get(method) ?? {};
    if (!params) return anyObject;
    const name = `Agents${method.slice('agents/'.length)}`;
    components.asked(name, params);
    return components.schemas[name] ?? anyObject;
  };
  // What a query asks for may be a list or a search.
  const both = [...inQuery(paramsOf('agents/find')), ...inQuery(paramsOf('agents/list'))] as { name: string }[];
  const parameters = both.filter(({ name }, index) => both.findIndex((each) => each.name === name) === index);
  const agent = json(anyObject);
  return {
    '/agents': {
      get: {
        summary: 'The agents of the tenant; with words, skill or tag those that are like it',
        tags,
        parameters,
        responses: answers(ok('A page of agents', json(page)), error),
      },
      post: {
        summary: 'Makes an agent known, or replaces what is known of it',
        tags,
        requestBody: body(paramsOf('agents/register')),
        responses: answers({ 201: { description: 'The agent', content: agent } }, error),
      },
    },
    '/agents/{id}': {
      get: {
        summary: 'An agent, with its card',
        tags,
        parameters: inPath('id'),
        responses: answers(ok('The agent', agent), error),
      },
      delete: {
        summary: 'Forgets an agent',
        tags,
        parameters: inPath('id'),
        responses: answers(ok('It is forgotten', agent), error),
      },
    },
  };
}
