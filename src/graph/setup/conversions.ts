import { converted } from '../../vocabulary/conversion.ts';
import type { Difference } from '../../vocabulary/differences.ts';
import type { Patch, Statement } from '../../wire/types.ts';
import type { Database } from '../database/database.ts';
import type { KnownNames } from '../names/dictionary.ts';
import { searchOf } from './doubts.ts';

interface Row {
  subject: string;
  predicate: string;
  value: string | number | boolean;
  datatype: string;
  graph: string | null;
  certainty: number | null;
  provenance: string | null;
}

/**
 * The patches of a tenant that state values anew as the fields of differences take them, where nothing is lost: for
 * each statement one that removes it and one that adds it, with its graph, certainty and provenance. Texts with a
 * language stay.
 */
export async function* conversions(
  database: Database,
  differences: Difference[],
  names: KnownNames,
  tenant: string,
): AsyncGenerator<[Patch, Patch]> {
  for (const doubt of differences.flatMap(({ doubts }) => doubts)) {
    if (doubt.of !== 'values' || !('scalar' in doubt.field)) continue;
    const search = searchOf(doubt, names);
    if (search === undefined) continue;
    const session = database.session('READ');
    try {
      const rows = session.run(
        `${search.pattern} WHERE s.tenant = $tenant AND o.value IS NOT NULL AND o.language IS NULL AND ${search.isHidden}
         RETURN s.id AS subject, r.predicate AS predicate, o.value AS value, o.datatype AS datatype,
           r.graph AS graph, r.certainty AS certainty, r.provenance AS provenance`,
        { ...search.parameters, tenant },
      );
      for await (const record of rows) {
        const row = record.toObject() as Row;
        const value = converted(row.value, doubt.field.scalar);
        if (value !== undefined) yield patchesOf(row, value);
      }
    } finally {
      await session.close();
    }
  }
}

function patchesOf(row: Row, value: Row['value']): [Patch, Patch] {
  const { certainty, provenance } = row;
  const place = {
    subject: { id: row.subject },
    predicate: { id: row.predicate },
    ...(row.graph !== null && { graph: row.graph }),
  };
  const before: Statement = { ...place, object: { value: row.value, type: row.datatype } };
  const after: Statement = {
    ...place,
    object: { value },
    ...(certainty !== null && { certainty }),
    ...(provenance !== null && { provenance: JSON.parse(provenance) }),
  };
  return [
    { op: 'remove', statement: before },
    { op: 'add', statement: after },
  ];
}
