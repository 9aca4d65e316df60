import { z } from 'zod';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { UnaryMethod } from '../../calls/call.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import type { Database } from '../../graph/database/database.ts';
import { text } from '../../knowledge/patch.ts';
import type { UpdateResult } from '../../knowledge/update/propose.ts';
import type { Principal } from '../../security/principal.ts';
import type { Skill, SkillCall, SkillOutcome } from '../../skills/skill.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Patch } from '../../wire/types.ts';
import type { Source } from '../adapters/source.ts';
import { type Introspected, introspect } from '../introspect.ts';
import type { Sources } from '../sources.ts';
import { introspector, sourceGraph } from '../terms.ts';
import { sourceFailed, sourceOf } from './sourceOf.ts';

export interface IntrospectSkillParts {
  sources: Sources;
  database: Database;
  /** `knowledge/update` */
  update: UnaryMethod<UpdateResult>;
  logger: Logger;
}

const params = z.strictObject({ source: text(64).min(1, 'is empty') });

/**
 * `introspect`: what a source is made of becomes statements of its graph, stated by the agent `introspector`. It needs
 * the scope `admin`: it speaks for another agent, and the source is asked as whom the operator has said.
 */
export function introspectSkill(parts: IntrospectSkillParts): Skill {
  const underWay = new Set<Source>();
  return {
    summary: 'Reads what a database is made of, and states what of that has changed, in a graph of its own',
    example: { skill: 'introspect', source: 'shop' },
    parameters: params,
    textField: 'source',
    async run(input, call) {
      requireScope(call, 'admin', ErrorCode.KnowledgeUpdate);
      const { source: name } = parseParams(params, input);
      const source = sourceOf(parts.sources, call.principal, name);
      if (underWay.has(source)) throw refuse('source-busy', `The source '${name}' is being introspected already`);
      underWay.add(source);
      try {
        return await run(parts, name, source, call);
      } finally {
        underWay.delete(source);
      }
    },
  };
}

async function run(
  { database, update, logger }: IntrospectSkillParts,
  name: string,
  source: Source,
  call: SkillCall,
): Promise<SkillOutcome> {
  const { tenant } = call.principal;
  const verdicts: UpdateResult[] = [];
  const asIntrospector = { ...call, principal: speaking(tenant, name) };
  const propose = async (mutations: Patch[]) => {
    const proposal = { mutations, taskId: call.taskId, justification: `Introspection of the source ${name}` };
    const verdict = await update(proposal, asIntrospector);
    verdicts.push(verdict);
    return verdict.success;
  };
  const found = await introspect({
    ...{ database, tenant, name, source, signal: call.signal, propose },
    tell: (text) => call.tell(text, {}),
  }).catch((error: unknown) => {
    if (error instanceof ConcordError || call.signal.aborted) throw error;
    throw sourceFailed(name, error, logger);
  });
  return outcomeOf(name, found, verdicts);
}

/** Who states the schema: nobody whose rights reach beyond this graph. */
function speaking(tenant: string, name: string): Principal {
  return {
    tenant,
    agentId: introspector,
    scopes: new Set(['knowledge:update']),
    graphs: { default: false, named: [sourceGraph(name)] },
  };
}

function outcomeOf(name: string, found: Introspected, verdicts: UpdateResult[]): SkillOutcome {
  const refused = verdicts.find(({ success }) => !success);
  const held = verdicts.filter(({ verificationStatus }) => verificationStatus === 'Pending Review').length;
  const revision = verdicts.findLast((each) => each.revision !== undefined)?.revision;
  const { tables, columns, declared, inferred, added, removed } = found;
  const changed = added + removed === 0 ? 'nothing has changed' : `${added} stated, ${removed} taken back`;
  const lines = [
    `${name}: ${tables} tables, ${columns} columns, ${declared} foreign keys and ${inferred} likely ones; ${changed}`,
    ...(found.leftOut > 0 ? [`${found.leftOut} parts have names that are too long, and were left out`] : []),
    ...(held > 0 ? [`${held} updates are held for review`] : []),
    ...(refused ? [`The rules refuse it: ${refused.verificationDetails ?? refused.verificationStatus}`] : []),
  ];
  const data = { source: name, graph: sourceGraph(name), ...found, held, ...(revision !== undefined && { revision }) };
  return {
    state: refused ? 'rejected' : 'completed',
    artifacts: [{ name: 'introspection', description: 'What the source is made of, in numbers', data }],
    text: lines.join('\n'),
  };
}
