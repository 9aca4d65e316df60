import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

/** The gateway for people. */
export const gateway: Mutant[] = [
  ...careless(
    'agui',
    'src/agui/run.ts',
    ['test/agui/run.test.ts'],
    [
      [
        'a message that comes again is done again',
        '  if (before) return { agent: agentOf(before), stream: () => again(handler, before, call) };\n',
        '',
      ],
      [
        'who names an agent answers the question of another',
        'const waiting = request.agent === undefined ? tasks.find(isWaiting) : undefined;',
        'const waiting = tasks.find(isWaiting);',
      ],
      ['who gives up a task that has ended is refused', 'const value = isOver ? task : await', 'const value = await'],
    ],
  ),
  ...careless(
    'agui',
    'src/agui/gateway.ts',
    ['test/agui/shutdown.test.ts'],
    [
      [
        'a run begins in a shutdown',
        '    if (inFlight.draining) throw requestDraining();\n    const taken',
        '    const taken',
      ],
      ['a run goes on as long as it likes', '        becomeStream(taken, authenticate, credentials);\n', ''],
    ],
  ),
  ...careless(
    'agui',
    'src/agui/runRequest.ts',
    ['test/agui/runRequest.test.ts'],
    [
      [
        'of several answers one is taken',
        "  if (resume.length > 1) throw invalidParams([{ path: ['resume'], message: 'answers more than one interrupt' }]);\n",
        '',
      ],
      ['the name of an agent may be as long as it likes', '  requireId(path, agent);\n', ''],
    ],
  ),
  ...careless(
    'agui',
    'src/agui/choosing.ts',
    ['test/agui/choosing.test.ts'],
    [
      ['the model makes agents up', 'agents.find(({ id }) => id === chosen)?.id;', 'chosen;'],
      [
        'an agent that is down is as good as one that is up',
        "return [...agents.filter(({ status }) => status !== 'down'), ...agents.filter(({ status }) => status === 'down')];",
        'return agents;',
      ],
      ['the model is told as long a question as somebody writes', 'text.slice(0, longest.question)', 'text'],
      [
        'a model that is away ends the run',
        "    logger.info({ reason }, 'the model chooses no agent');\n    return undefined;",
        "    logger.info({ reason }, 'the model chooses no agent');\n    throw error;",
      ],
      [
        'words are as many as somebody writes',
        '  if (text.length <= longestWords) return text;\n',
        '  if (text) return text;\n',
      ],
    ],
  ),
  ...careless(
    'agui',
    'src/agui/taskEvents.ts',
    ['test/agui/taskEvents.test.ts'],
    [
      [
        'two messages are open at a time',
        '[...this.endMessage(), this.beginMessage(artifactId)]',
        '[this.beginMessage(artifactId)]',
      ],
      ['what is added to an artifact takes its place', '    if (goesOn) {\n', '    if (goesOn && !before) {\n'],
      [
        'an answer that is told as text may be as long as it likes',
        'return text.length <= longestJson ? text :',
        'return text ? text :',
      ],
    ],
  ),
];
