import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const tests = (...names: string[]) => names.map((name) => `test/${name}.test.ts`);

/** Agents that are known, what is handed on to them, and their older ways to ask. */
export const agents: Mutant[] = [
  ...careless('registry', 'src/agents/nodes/agentStore.ts', tests('agents/registry'), [
    [
      'anybody removes an agent',
      '      if (!standing?.isRegistered) return false;\n      requireRight(key.id, by, standing);\n',
      '      if (!standing?.isRegistered) return false;\n',
    ],
    [
      'another address gets the credentials',
      '$keepsCredentials AND isSameAddress AND isReachedAlike AS keeps',
      '$keepsCredentials AS keeps',
    ],
    [
      'a tenant may have one agent more',
      "if ((records[0]?.get('count') ?? 0) < limit) return;",
      "if ((records[0]?.get('count') ?? 0) <= limit) return;",
    ],
    [
      'of two who register an agent at once both may',
      '      const standing = await lock(tx, key);\n      requireRight(key.id, by, standing);\n',
      '      const standing = await lock(tx, key);\n',
    ],
    ['of agents registered at one time some are on no page', ' OR a.id > $id) AND ${wanted}', ') AND ${wanted}'],
  ]),
  ...careless('registry', 'src/agents/nodes/rights.ts', tests('agents/registry'), [
    [
      'who acts here is registered by another',
      'isRegistered ? addedBy === by.agentId : !isKnown',
      '!isRegistered || addedBy === by.agentId',
    ],
  ]),
  ...careless('registry', 'src/agents/register.ts', tests('agents/register'), [
    ['a card is fetched for who may not register it', '    await parts.store.requireRight(key, by);\n', ''],
    ["an agent takes the name of Concord's own", 'if (parts.isOwnId(id)) throw', 'if (false) throw'],
    [
      'one caller has cards fetched by the thousand',
      'await limits.run(caller, () => registrationOf(parts, asked, signal));',
      'await registrationOf(parts, asked, signal);',
    ],
  ]),
  ...careless('registry', 'src/agents/checks/checkStore.ts', tests('agents/lookedAt'), [
    [
      'a look at an old address counts for the new one',
      'WITH a WHERE a.replica = $replica AND a.cardUrl = $cardUrl`',
      'WITH a WHERE a.replica = $replica`',
    ],
  ]),
  ...careless('registry', 'src/agents/checks/checks.ts', tests('agents/lookedAt'), [
    [
      'a card may lose its signature',
      "  if (signature === 'verified' && card.signature !== 'verified') throw badSignature('The card was signed before');\n",
      '',
    ],
  ]),
  ...careless('delegation', 'src/agents/delegation/hops.ts', tests('agents/delegation/hops'), [
    ['one hop more', 'if (hops.length < mostHops) return;', 'if (hops.length <= mostHops) return;'],
  ]),
  ...careless('delegation', 'src/agents/delegation/following.ts', tests('agents/delegation/delegation'), [
    ['the connection to an agent that is stuck stays open', '      left.abort();\n', ''],
    ['what an agent says anew counts each time', '      this.bytes -= before?.bytes ?? 0;\n', ''],
  ]),
  ...careless('delegation', 'src/agents/delegation/journey.ts', tests('agents/delegation/delegation'), [
    ['a task is handed on before it is kept', '      await call.kept();\n', ''],
    [
      'an agent goes on with what is too late',
      'if (call.signal.aborted || late.aborted || reason',
      'if (call.signal.aborted || reason',
    ],
  ]),
  ...careless('delegation', 'src/agents/delegation/journey.ts', tests('agents/delegation/faults'), [
    [
      'an answer that was under way is lost with its replica',
      "      if (state !== 'sending') return { kind: 'ask', taskId };\n      return this.afterAnswer(taskId, message);\n",
      "      return { kind: 'ask', taskId };\n",
    ],
    [
      'what came after all is sent twice',
      '      if (found?.taskId !== undefined) return this.joinedTask(found.taskId, found.conversation);\n',
      '',
    ],
  ]),
  ...careless('delegation', 'src/agents/delegation/nodes/delegations.ts', tests('agents/delegation/faults'), [
    [
      'a further attempt keeps the task of the one before',
      ', d.remoteTaskId = null,\n         d.conversation = null`',
      '`',
    ],
  ]),
  ...careless('dialects', 'src/dialects/kernel/events.ts', tests('dialects/kernel/events'), [
    [
      'a stream ends without saying so',
      'return this.last && !this.last.final ? [{ ...this.last, final: true }] : [];',
      'return [];',
    ],
  ]),
  ...careless('dialects', 'src/dialects/kernel/kernel.ts', tests('dialects/kernel/events'), [
    [
      'a stream is not told that its reader has gone',
      '    } finally {\n      answers.return().catch(() => {});\n    }',
      '    }',
    ],
  ]),
  ...careless('dialects', 'src/dialects/agentos/connection.ts', tests('dialects/agentos/sockets'), [
    ['what is answered counts as under way', '      this.requests.delete(request);\n', ''],
    [
      'a socket takes requests during a shutdown',
      '      if (this.parts.inFlight.draining) throw requestDraining();\n',
      '',
    ],
  ]),
  ...careless('dialects', 'src/dialects/agentos/runs.ts', tests('dialects/agentos/sockets'), [
    [
      'who cancels a run that was refused waits for ever',
      '    } finally {\n      taskId.resolve(undefined);\n',
      '    } finally {\n',
    ],
  ]),
  ...careless('dialects', 'src/dialects/agentos/subscriptions.ts', tests('dialects/agentos/sockets'), [
    [
      'a subscription that is refused takes a place',
      '    } catch (error) {\n      this.open.delete(subscription);\n',
      '    } catch (error) {\n',
    ],
  ]),
  ...careless('dialects', 'src/dialects/agentos/sockets.ts', tests('dialects/agentos/sockets'), [
    [
      'a socket is opened whose caller is known when a shutdown has begun',
      'principal);\n    if (inFlight.draining) throw new Refusal(503, requestDraining());\n',
      'principal);\n',
    ],
  ]),
];
