import neo4j from 'neo4j-driver';
import type { Database } from '../graph/database/database.ts';
import { systemTypes } from '../graph/names/names.ts';
import { type VoiceLists, voicesOf } from '../graph/statements/voice.ts';
import type { Statement } from '../wire/types.ts';
import { introspector, sourceGraph } from './terms.ts';

/** Entities that are read at a time. */
const page = 2_000;

const entities = `MATCH (s:Entity) USING INDEX s:Entity(tenant, id)
WHERE s.tenant = $tenant AND s.id STARTS WITH $graph AND s.id > $after
WITH s ORDER BY s.id LIMIT $page
OPTIONAL MATCH (s)-[r]->(o) WHERE r.graph = $graph AND NOT type(r) IN $system
RETURN s.id AS subject, s.type AS type, collect(CASE WHEN r IS NULL THEN null ELSE
  {predicate: r.predicate, id: o.id, objectType: o.type, value: o.value, datatype: o.datatype, language: o.language,
   certainty: r.certainty, agent: r.sourceAgentId, lists: r {.sources, .sourceDetails}} END) AS edges
ORDER BY subject`;

interface Found {
  subject: string;
  type: string | null;
  edges: {
    predicate: string;
    id: string | null;
    objectType: string | null;
    value: string | number | boolean | null;
    datatype: string | null;
    language: string | null;
    certainty: number | null;
    agent: string;
    lists: { sources: string[] | null; sourceDetails: string[] | null };
  }[];
}

/** What the introspector states of a source now, with its own certainty; what others state there is theirs. */
export async function statedOf(database: Database, tenant: string, source: string): Promise<Statement[]> {
  const graph = sourceGraph(source);
  const stated: Statement[] = [];
  let after = '';
  for (;;) {
    const found = await database.run<Found>('READ', entities, {
      ...{ tenant, graph, after },
      page: neo4j.int(page),
      system: [...systemTypes],
    });
    for (const each of found) stated.push(...statementsOf(each, graph));
    const last = found.at(-1);
    if (last === undefined || found.length < page) return stated;
    after = last.subject;
  }
}

function statementsOf({ subject, type, edges }: Found, graph: string): Statement[] {
  return edges.flatMap(({ predicate, id, objectType, value, datatype, language, certainty, agent, lists }) => {
    const { sources, sourceDetails } = lists;
    const own =
      sources && sourceDetails
        ? voicesOf({ sources, sourceDetails } satisfies Pick<VoiceLists, 'sources' | 'sourceDetails'>).find(
            ({ sourceAgentId }) => sourceAgentId === introspector,
          )
        : agent === introspector
          ? { certainty: certainty ?? undefined }
          : undefined;
    if (!own) return [];
    const object =
      id !== null
        ? { id, ...(objectType !== null && { type: objectType }) }
        : {
            value: value ?? '',
            ...(datatype !== null && { type: datatype }),
            ...(language !== null && { language }),
          };
    return [
      {
        subject: { id: subject, ...(type !== null && { type }) },
        predicate: { id: predicate },
        object,
        graph,
        ...(own.certainty !== undefined && { certainty: own.certainty }),
      },
    ];
  });
}
