import type { ConcordError } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { type Principal, seesGraph } from '../../security/principal.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Source } from '../adapters/source.ts';
import type { Sources } from '../sources.ts';
import { sourceGraph } from '../terms.ts';

/**
 * The source of this name, where the caller's tenant has it and the caller sees its graph.
 * @throws ConcordError `unknown-source`
 */
export function sourceOf(sources: Sources, principal: Principal, name: string): Source {
  const sees = (each: string) => seesGraph(principal, sourceGraph(each));
  const source = sees(name) ? sources.get(principal.tenant, name) : undefined;
  if (source) return source;
  throw refuse('unknown-source', `There is no source '${name}'`, {
    sources: sources.names(principal.tenant).filter(sees),
  });
}

/** Drivers name hosts, users and databases in their messages, so that only codes are told. */
export function sourceFailed(name: string, error: unknown, logger: Logger): ConcordError {
  const said = (error as { code?: unknown }).code;
  const databaseCode = typeof said === 'string' && /^[\w.]{1,80}$/.test(said) ? said : undefined;
  logger.warn({ source: name, databaseCode }, 'a source does not answer as it should');
  const details = databaseCode === undefined ? {} : { databaseCode };
  const why = databaseCode === undefined ? '' : ` (${databaseCode})`;
  return refuse('source-failed', `The source '${name}' does not answer, or not as it should${why}`, details, {
    cause: error,
  });
}
