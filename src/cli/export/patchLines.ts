import type { Patch, Statement } from '../../client/index.ts';
import { literalIn, type StatementRow } from './rows.ts';

/** Statements as patches that state them, one line of JSON each; plain ones without certainty and provenance. */
export function patchLines(rows: StatementRow[], plain: boolean): string[] {
  return rows.map((row) => {
    const patch: Patch = {
      op: 'add',
      statement: statementOf(plain ? { ...row, certainty: null, provenance: null } : row),
    };
    return `${JSON.stringify(patch)}\n`;
  });
}

function statementOf(row: StatementRow): Statement {
  const { subject, subjectType, predicate, objectId, objectType, graph, certainty, provenance } = row;
  return {
    subject: { id: subject, ...(subjectType !== null && { type: subjectType }) },
    predicate: { id: predicate },
    object: objectId === null ? literalIn(row) : { id: objectId, ...(objectType !== null && { type: objectType }) },
    ...(graph !== null && { graph }),
    ...(certainty !== null && { certainty }),
    ...(provenance !== null && { provenance: JSON.parse(provenance) }),
  };
}
