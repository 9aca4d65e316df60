import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const tests = (...names: string[]) => names.map((name) => `test/${name}.test.ts`);

/** Changes, and who hears of them. */
export const changes: Mutant[] = [
  ...careless('filter', 'src/changes/filter.ts', tests('changes/filter'), [
    [
      'what a replacement takes away does not touch',
      'touches: (...of) => test(...of) || partsOf(of[0]).some((part) => test(part, of[1])),',
      'touches: test,',
    ],
    [
      'a statement without a certainty is doubted',
      '({ statement }) => statement.certainty ?? 1)',
      '({ statement }) => statement.certainty ?? 0)',
    ],
    [
      'times are compared by their letters',
      '  if (time.test(one) && time.test(other)) return Date.parse(one) - Date.parse(other);\n',
      '',
    ],
  ]),
  ...careless('audience', 'src/changes/audience.ts', tests('changes/audience'), [
    ['a filter that nobody listens by is asked for ever', '    this.others.delete(group);\n', ''],
  ]),
  ...careless('feed', 'src/changes/feed.ts', tests('changes/polling', 'changes/feed'), [
    ['a log with a fault is asked for now and then', ' && !this.hadFaults && ', ' && '],
    [
      'of two who begin at once one is forgotten',
      'tail = this.tails.get(tenant) ?? { position, audience: new Audience() };',
      'tail = { position, audience: new Audience() };',
    ],
    [
      'the first who leaves takes the others along',
      'if (audience.isEmpty && this.tails.get(tenant)?.audience === audience)',
      'if (this.tails.get(tenant)?.audience === audience)',
    ],
    [
      'a commit does not wake a feed that is idle',
      'if (this.isWoken || now - this.lastChange < idleAfterMs) return true;',
      'if (now - this.lastChange < idleAfterMs) return true;',
    ],
  ]),
  ...careless('subscriber', 'src/changes/subscriber.ts', tests('changes/subscriber'), [
    [
      'what the log and the buffer have comes twice',
      'waiting.splice(0, mostAtOnce).filter(({ sequence }) => sequence > cursor);',
      'waiting.splice(0, mostAtOnce);',
    ],
    [
      'who is gone before its first event is still told',
      "  signal.addEventListener('abort', () => {\n    stop();\n",
      "  signal.addEventListener('abort', () => {\n",
    ],
    [
      'who no longer listens counts as having been told',
      "    // Who no longer listens isn't told of what comes.\n    isParked = false;\n",
      '',
    ],
  ]),
  ...careless('live', 'src/knowledge/subscribe/live/liveQuery.ts', tests('knowledge/subscribe/live/liveQuery'), [
    [
      'what comes during a run is lost',
      `      this.isTouched = false;
      this.pending = [];
      const { position } = this;
      try {
        this.take(position, await this.parts.run(signal));
`,
      `      const { position } = this;
      try {
        this.take(position, await this.parts.run(signal));
        this.isTouched = false;
        this.pending = [];
`,
    ],
    [
      'what a change has replaced does not concern it',
      '[change.statement, ...(change.previous ?? [])].some(',
      '[change.statement].some(',
    ],
    ['a run that fails is not made again', '        this.isTouched = true;\n        pauseMs =', '        pauseMs ='],
    ['a run that is always too slow is made for ever', ' || timeouts > mostTimeouts)', ')'],
    [
      'a run in time does not count',
      '[pauseMs, timeouts] = [intervalMs, 0];\n      } catch',
      'pauseMs = intervalMs;\n      } catch',
    ],
  ]),
  ...careless(
    'live',
    'src/knowledge/subscribe/live/sharedQueries.ts',
    tests('knowledge/subscribe/live/sharedQueries'),
    [['the first who leaves ends it for all', '        if (query.isFollowed) return;\n', '']],
  ),
  ...careless('live', 'src/knowledge/subscribe/live/liveQueries.ts', tests('knowledge/subscribe/live/sharedQueries'), [
    [
      'an answer is sent that a policy has closed meanwhile',
      '      });\n      requirePolicy();\n      const text',
      '      });\n      const text',
    ],
    [
      'who is closed out of something shares the answers of others',
      '[rightsText(principal), closed, query, variables, bounds]',
      '[rightsText(principal), query, variables, bounds]',
    ],
    [
      'the place of a stream that has ended stays taken',
      "      signal.removeEventListener('abort', stop);\n      slot.leave();\n",
      "      signal.removeEventListener('abort', stop);\n",
    ],
    [
      'who may not query follows a query',
      "    requireScope(call, 'knowledge:query', ErrorCode.KnowledgeSubscription);\n",
      '',
    ],
    ['variables that are kept are as long as somebody writes', '    requireShort(asked.variables);\n', ''],
    [
      'what differs is sent though it is longer',
      '  if (JSON.stringify(patch).length > answer.text.length) return eventOf(answer, undefined);\n',
      '',
    ],
    ['one agent runs as many queries as it follows', 'runs: new KeyedLimits(mostRuns)', 'runs: new KeyedLimits(1_000)'],
    [
      'an answer may be as long as it likes',
      '      if (text.length > longestAnswer) throw answerTooLarge(longestAnswer);\n',
      '',
    ],
  ]),
  ...careless('live', 'src/knowledge/subscribe/live/classesRead.ts', tests('knowledge/subscribe/live/classesRead'), [
    [
      'the class of what is pointed at is of no class that is read',
      "          if (parent?.name === 'StatementObject' && name === 'type') isAny = true;\n",
      '',
    ],
    [
      'links that a link leads to are not read',
      "if (field.kind !== 'literal') reached.add(field.target);",
      "if (field.kind !== 'literal' && names.has(name)) reached.add(field.target);",
    ],
  ]),
  ...careless('changeClasses', 'src/knowledge/subscribe/changeClasses.ts', tests('knowledge/subscribe/changeClasses'), [
    ['a page that could not be read is kept', '      reading.catch(() => this.pages.delete(key));\n', ''],
  ]),
  ...careless('classChanges', 'src/knowledge/subscribe/follow.ts', tests('graphql/classChanges'), [
    ['who may not query follows a class', '    if (isOfClass || wanted) requireScope', '    if (wanted) requireScope'],
  ]),
  ...careless('snapshot', 'src/knowledge/subscribe/snapshot.ts', tests('knowledge/subscribe/snapshot'), [
    [
      'what a page cuts off is not told',
      '{ subject: last } : { subject: end.subject.id, statement: end.id };',
      '{ subject: last } : { subject: end.subject.id };',
    ],
    [
      'who goes on within a subject misses its rest',
      "`subject.id ${statement === undefined ? '>' : '>='} $subject`",
      '`subject.id > $subject`',
    ],
    [
      'subjects that are named come in the order of the names',
      'this.named = asked.filter.subjects?.toSorted();',
      'this.named = asked.filter.subjects;',
    ],
  ]),
  ...careless('snapshot', 'src/knowledge/subscribe/snapshotPlace.ts', tests('knowledge/subscribe/snapshot'), [
    [
      'a place is taken that the graph has not come to',
      'place.sequence <= now.sequence && place.revision <= now.revision',
      'place.sequence <= now.sequence',
    ],
  ]),
];
