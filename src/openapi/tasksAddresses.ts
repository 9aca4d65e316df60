import * as messages from '../dialects/rest/messages.ts';
import type { Components } from './components.ts';
import { type Addresses, answers, body, eventsOf, inPath, json, type Operation, ok } from './operation.ts';

const tags: [string] = ['Tasks by plain HTTP'];

/** The dialect of `text-to-sql-a2a.md`. */
export function taskAddresses(components: Components): Addresses {
  const refusal = components.answered('Refusal', messages.refusal);
  const task = json(components.answered('TaskAnswer', messages.taskAnswer));
  const card = json(components.answered('TaskCard', messages.agentCard));
  const sent = json(components.answered('Sent', messages.sent));
  const requestBody = body(components.asked('SendRequest', messages.sendRequest));
  const named = Object.entries(messages.taskEvents).map(([name, event]) => [name, components.answered(name, event)]);
  const events = eventsOf(Object.fromEntries(named));
  const operation = (summary: string, rest: Omit<Operation, 'summary' | 'tags'>) => ({ summary, tags, ...rest });
  return {
    '/agent-card': {
      get: operation('What can be asked for', { responses: answers(ok('The card', card)), security: [] }),
    },
    '/tasks/send': {
      post: operation('Begins a task, or goes on with one, and waits for its end', {
        requestBody,
        responses: answers(ok('The task has ended or needs input', sent), refusal),
      }),
    },
    '/tasks/sendSubscribe': {
      post: operation('The same as a stream of task_progress, task_complete and task_error', {
        requestBody,
        responses: answers(ok('The events of the task', events), refusal),
      }),
    },
    '/tasks/{id}': {
      get: operation('How far a task is, and what came of it', {
        parameters: inPath('id'),
        responses: answers(ok('The task', task), refusal),
      }),
    },
    '/tasks/{id}/cancel': {
      post: operation('Ends a task', { parameters: inPath('id'), responses: answers(ok('The task', task), refusal) }),
    },
  };
}
