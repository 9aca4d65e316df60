import type { UnaryMethod } from '../calls/call.ts';
import type { SourceAddress } from '../config/sources.ts';
import type { Database } from '../graph/database/database.ts';
import type { ClosedTo } from '../knowledge/conditions.ts';
import type { UpdateResult } from '../knowledge/update/propose.ts';
import type { Skill, Skills } from '../skills/skill.ts';
import { SourceAsker } from '../sources/asking/asker.ts';
import { SchemaReader } from '../sources/schemaReader.ts';
import { askSourceSkill } from '../sources/skills/askSourceSkill.ts';
import { exploreSourceSkill } from '../sources/skills/exploreSourceSkill.ts';
import { introspectSkill } from '../sources/skills/introspectSkill.ts';
import { querySourceSkill } from '../sources/skills/querySourceSkill.ts';
import { Sources } from '../sources/sources.ts';
import { rightsBeyondReading } from '../sources/sql/rights.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Closing } from './closing.ts';

export interface SourceSkillsParts {
  addresses: readonly SourceAddress[];
  database: Database;
  update: UnaryMethod<UpdateResult>;
  closedTo: ClosedTo;
  /** Whether callers may ask SQL. */
  takesSql: boolean;
  /** The skill that answers questions over the graph; absent where questions aren't taken. */
  ask: Skill | undefined;
  /** Milliseconds of a statement of theirs. */
  timeoutMs: number;
  logger: Logger;
  closing: Closing;
}

/** The skills of databases that are sources. */
export function openSourceSkills({
  addresses,
  database,
  update,
  closedTo,
  takesSql,
  ask,
  timeoutMs,
  logger,
  closing,
}: SourceSkillsParts): Skills {
  const sources = closing.add(new Sources(addresses));
  if (takesSql) void tellRights(sources, logger);
  const schemas = new SchemaReader(database);
  const skills = new Map<string, Skill>([
    ['introspect', introspectSkill({ sources, database, update, logger })],
    ['explore-source', exploreSourceSkill({ sources, schemas, closedTo })],
  ]);
  if (takesSql) {
    const parts = { sources, update, logger, timeoutMs, now: Date.now };
    skills.set('query-source', querySourceSkill(parts));
    const asker = new SourceAsker({ schemas, closedTo, now: Date.now });
    if (ask) skills.set('ask', askSourceSkill(ask, { ...parts, asker }));
  }
  return skills;
}

/** Looks at who Concord is in each source that answers SQL, and says where that user may do more than read. */
async function tellRights(sources: Sources, logger: Logger): Promise<void> {
  for (const { name, tenant, source } of sources.answering()) {
    const of = { source: name, ...(tenant !== undefined && { tenant }) };
    try {
      const rights = await rightsBeyondReading(source);
      if (rights.length > 0) logger.warn({ ...of, rights }, 'the user of a source may do more than read');
    } catch (error) {
      logger.warn({ ...of, databaseCode: (error as { code?: unknown }).code }, 'the rights in a source are not known');
    }
  }
}
