import type { UnaryMethod } from '../calls/call.ts';
import type { SourceAddress } from '../config/sources.ts';
import type { Database } from '../graph/database/database.ts';
import type { ClosedTo } from '../knowledge/conditions.ts';
import type { UpdateResult } from '../knowledge/update/propose.ts';
import type { Skills } from '../skills/skill.ts';
import { SchemaReader } from '../sources/schemaReader.ts';
import { exploreSourceSkill } from '../sources/skills/exploreSourceSkill.ts';
import { introspectSkill } from '../sources/skills/introspectSkill.ts';
import { Sources } from '../sources/sources.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Closing } from './closing.ts';

export interface SourceSkillsParts {
  addresses: readonly SourceAddress[];
  database: Database;
  update: UnaryMethod<UpdateResult>;
  closedTo: ClosedTo;
  logger: Logger;
  closing: Closing;
}

/** The skills of databases that are sources. */
export function openSourceSkills({
  addresses,
  database,
  update,
  closedTo,
  logger,
  closing,
}: SourceSkillsParts): Skills {
  const sources = closing.add(new Sources(addresses));
  const schemas = new SchemaReader(database);
  return new Map([
    ['introspect', introspectSkill({ sources, database, update, logger })],
    ['explore-source', exploreSourceSkill({ sources, schemas, closedTo })],
  ]);
}
