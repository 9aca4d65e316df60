import { LRUCache } from 'lru-cache';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import type { Call, Methods, StreamingMethod, UnaryMethod } from '../../calls/call.ts';
import { contextOf } from '../protocol/callContext.ts';
import { versionAsked } from '../protocol/version.ts';
import type { Dialect, DialectCore } from './dialect.ts';
import { dialectOf } from './dialectTasks.ts';

/** Tasks of which it is remembered in which dialect they were begun: that doesn't change. */
const manyTasks = 10_000;

/** The methods of A2A with those of the dialects beside them. */
export function withDialects(methods: Methods, dialects: readonly Dialect[], core: DialectCore): Methods {
  const unary = new Map(methods.unary);
  const streaming = new Map(methods.streaming);
  const begunIn = dialectFinder(core);
  for (const dialect of dialects) {
    const own = dialect.methods(core);
    for (const [name, method] of own.unary)
      unary.set(name, chosen<UnaryMethod>(dialect, name, method, unary.get(name), begunIn));
    for (const [name, method] of own.streaming)
      streaming.set(name, chosen<StreamingMethod>(dialect, name, method, streaming.get(name), begunIn));
  }
  return { unary, streaming };
}

type FindDialect = (taskId: string, call: Call) => Promise<string | undefined>;

/** The method of a dialect, or that which has its name already, by what the request says and how its task was begun. */
function chosen<Method extends UnaryMethod | StreamingMethod>(
  { name, taskIdIn }: Dialect,
  method: string,
  own: Method,
  other: Method | undefined,
  begunIn: FindDialect,
): Method {
  async function isOwn(params: unknown, call: Call): Promise<boolean> {
    const header = call.serviceParameters?.version?.trim();
    if (header) return versionAsked(header) === name;
    if (!other) return true;
    const taskId = taskIdIn(params);
    return taskId !== undefined && (await begunIn(taskId, call)) === name;
  }
  const either = async (params: unknown, call: Call) => {
    const method = (await isOwn(params, call)) ? own : other;
    if (!method) throw otherVersion();
    return method(params, call);
  };
  return Object.assign(either as Method, !other && own.params && { params: own.params });

  function otherVersion(): ConcordError {
    const message = `${method} is a method of A2A ${name}; send it without the header A2A-Version`;
    return new ConcordError(ErrorCode.MethodNotFound, message);
  }
}

/** In which dialect a task of the caller was begun; undefined where it was in none, or there is no such task. */
function dialectFinder({ handler }: DialectCore): FindDialect {
  const known = new LRUCache<string, { dialect: string | undefined }>({ max: manyTasks });
  return async (id, { serviceParameters: _, ...call }) => {
    const { principal } = call;
    const key = JSON.stringify([principal.tenant, principal.agentId, id]);
    const found = known.get(key);
    if (found) return found.dialect;
    // What is wrong with the call, the method itself says.
    const task = await handler
      .getTask({ id, historyLength: 0, tenant: '' }, contextOf(call, '1.0'))
      .catch(() => undefined);
    if (!task) return undefined;
    const dialect = dialectOf(task);
    known.set(key, { dialect });
    return dialect;
  };
}
