import type { Database } from '../../../src/graph/database/database.ts';
import type { Told } from '../../knowledge/model/readings.ts';
import { schemaOrg, world } from '../../support/patches.ts';

/** A current statement, with what a projection is chosen by. */
interface Candidate {
  id: string;
  subject: string;
  predicate: string;
  /** Of a link. */
  object: string | null;
  value: string | number | null;
  certainty: number;
  observedAt: number;
}

/**
 * The properties that every entity ought to have by what its statements say: DESIGN, "Graph model", Projection, and
 * "Reading".
 */
export async function expectedEntities(database: Database, tenant: string): Promise<Told[]> {
  const all = 'MATCH (e:Entity {tenant: $tenant}) RETURN e.id AS id';
  const entities = await database.run<{ id: string }>('READ', all, { tenant });
  const candidates = await database.run<Candidate>(
    'READ',
    `MATCH (s:Entity {tenant: $tenant})-[r]->(o:Entity|Literal) WHERE type(r) <> 'PAST'
     RETURN r.statementId AS id, s.id AS subject, r.predicate AS predicate, o.id AS object, o.value AS value,
       coalesce(r.certainty, 1.0) AS certainty, r.observedAt.epochMillis AS observedAt`,
    { tenant },
  );
  return entities.map(({ id }) => {
    const ranked = (predicate: string) =>
      candidates.filter((each) => each.subject === id && each.predicate === predicate).sort(byRank);
    const nativeNames = [...new Set(ranked(`${world}nativeName`).map(({ value }) => value))];
    const certainties = candidates
      .filter(({ subject, object }) => subject === id || object === id)
      .map(({ certainty }) => certainty);
    return {
      tenant,
      id,
      ...single('name', ranked(`${schemaOrg}name`)),
      ...single('population', ranked(`${world}population`)),
      ...(nativeNames.length > 0 && { nativeName: nativeNames }),
      ...belowOne('highest__certainty', Math.max(0, ...certainties)),
    };
  });
}

function single(property: string, [best]: Candidate[]): Told {
  return best ? { [property]: best.value, ...belowOne(`${property}__certainty`, best.certainty) } : {};
}

function belowOne(property: string, certainty: number): Told {
  return certainty < 1 ? { [property]: certainty } : {};
}

function byRank(one: Candidate, other: Candidate): number {
  if (one.certainty !== other.certainty) return other.certainty - one.certainty;
  if (one.observedAt !== other.observedAt) return other.observedAt - one.observedAt;
  return one.id < other.id ? -1 : 1;
}
