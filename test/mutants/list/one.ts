import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const dialect = 'src/dialects/one';
const messages = ['test/dialects/one/messages.test.ts'];
const agents = ['test/agents/delegation/one.test.ts'];
const owed = ['test/tasks/store/pushConfigs.test.ts'];

/** The envelopes of ONE, in and out. */
export const one: Mutant[] = [
  ...careless('one', `${dialect}/admission.ts`, messages, [
    [
      'an agent sends in the name of another',
      "  if (principal.agentId !== undefined && principal.agentId !== from.agentId) throw foreignCaller('from.agentId');\n",
      '',
    ],
    ['the messages of another tenant are taken', '  requireOwnTenant(principal, [groupId]);\n', ''],
    [
      'the headers say what they like',
      "  requireHeader(headers, 'x-message-id', messageId, 'is not the messageId of the message');\n",
      '',
    ],
  ]),
  ...careless('one', `${dialect}/receiving.ts`, messages, [
    ['another message under an id is taken for the first', '  requireSame(given, noted);\n', ''],
    ['a message that was refused stays so', '    await events.refused(message).catch(() => {});\n', ''],
  ]),
  ...careless('one', `${dialect}/exchange.ts`, messages, [
    [
      'an answer in another conversation is taken',
      '  if (task.contextId !== admitted.correlationId) throw unknownCorrelation(admitted.correlationId);\n',
      '',
    ],
    [
      'a task is told twice what it is told once',
      '  if (!noted.isNew && task.history.some((each) => each.messageId === messageId)) return taskContent(task, begin);\n',
      '',
    ],
  ]),
  ...careless('one', `${dialect}/listing.ts`, messages, [
    [
      'an agent reads the messages of others',
      "    ...(agentId !== undefined && !scopes.has('admin') && { seenBy: agentId }),\n",
      '',
    ],
  ]),
  ...careless('one', 'src/agents/events/messageEvents.ts', messages, [
    ['a message that comes again begins another task', 'coalesce(e.taskId, e.id) AS taskId', '$id AS taskId'],
    ['an event leads to no task', '    CREATE (of)-[:OF_TASK]->(t)\n', '    SET of.at = of.at\n'],
  ]),
  ...careless('one', 'src/agents/events/conversations.ts', agents, [
    ['of several messages that come at once each has all the room', '     SET t.updatedAt = t.updatedAt\n', ''],
    [
      'an agent says as much as it likes in a conversation',
      "  if (length + further > longestHeard) throw full(longestHeard, 'characters');\n",
      '',
    ],
    [
      'what comes after the end is taken',
      "     WHERE NOT coalesce(t.state, '') IN $in.ended AND coalesce",
      '     WHERE size($in.ended) > 0 AND coalesce',
    ],
    ['an agent answers for another', ']->(:Agent {id: $agent})', ']->(:Agent)'],
  ]),
  ...careless('one', 'src/tasks/store/owedNotices.ts', owed, [
    ['what is owed is sent for ever', ' OR isOwed AND tries >= $most THEN null', ' THEN null'],
    ['each of several replicas sends what is owed', '     WITH c WHERE c.owedAt < datetime()\n', ''],
    ['what has just come to rest is sent twice', 'isUntold AND isLong AS isOwed', 'isUntold AS isOwed'],
  ]),
  ...careless('one', 'src/tasks/store/pushConfigs.ts', owed, [
    ['every receiver is owed what ONE is', '    if (!this.owing.has(wireVersion)) return;\n', ''],
  ]),
  ...careless('one', 'src/agents/delegation/protocols/oneReports.ts', agents, [
    [
      'of two ends the last holds',
      'all.find(({ type }) => ends.has(type)) ??',
      'all.findLast(({ type }) => ends.has(type)) ??',
    ],
    [
      'a question that was answered is asked again',
      'heard.filter(({ isOlder }) => !isOlder).map(read);',
      'heard.map(read);',
    ],
  ]),
  ...careless('one', 'src/agents/delegation/protocols/one.ts', agents, [
    [
      'the answer of another agent counts',
      "  if (from.agentId !== agentId) throw brokenAnswer('it is of another agent');\n",
      '',
    ],
  ]),
];
