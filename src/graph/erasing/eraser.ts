import neo4j, { type DateTime } from 'neo4j-driver';
import { certaintyPropertyOf, highestCertainty, propertyOf, quoted } from '../names/names.ts';
import type { Statement } from '../statements/statement.ts';
import { StatementTransactor } from '../statements/statementTransactor.ts';
import { type Provenances, withoutProvenance } from '../statements/voice.ts';
import type { LoggedChange } from '../updates/changeLog.ts';
import { type StoredUpdate, type UpdateRecord, updateRecordOf } from '../updates/updateRecord.ts';
import type { Erased } from './tombstone.ts';

/** A change as the log keeps it, with the update that made it. */
type KeptChange = Pick<LoggedChange, 'sequence' | 'updateId' | 'statement' | 'previous'>;

/** The edges of an entity: all of them, or those of its own statements with one predicate. */
interface EdgesAsked {
  subject: string;
  predicate?: string;
}

type ErasedEdges = Pick<Erased, 'statements' | 'pastStatements' | 'literals'>;

/**
 * Erases for good, inside of a transaction that holds the tenant's ledger; and finds what is to be erased, which needs
 * no ledger.
 */
export class Eraser extends StatementTransactor {
  /**
   * The sequence numbers of the changes after one and up to another that hold a text, as JSON has it between the
   * quotes.
   */
  async changesHolding(text: string, after: number, upTo: number): Promise<number[]> {
    const rows = await this.rows<{ sequence: number }>(
      `MATCH (c:Change) USING INDEX SEEK c:Change(tenant, sequence)
       WHERE c.tenant = $tenant AND $after < c.sequence <= $upTo AND (c.statement CONTAINS $text OR c.previous CONTAINS $text)
       RETURN c.sequence AS sequence ORDER BY sequence`,
      { text, after: neo4j.int(after), upTo: neo4j.int(upTo) },
    );
    return rows.map(({ sequence }) => sequence);
  }

  /** Those of these changes that hold anything yet. */
  async changes(sequences: number[]): Promise<KeptChange[]> {
    const rows = await this.rows<ChangeRow>(
      `UNWIND $in.sequences AS sequence
       MATCH (u:Update)-[:CONTAINS]->(c:Change {tenant: $tenant, sequence: sequence}) USING INDEX SEEK c:Change(tenant, sequence)
       WHERE c.erased IS NULL
       RETURN sequence, u.id AS updateId, c.statement AS statement, c.previous AS previous`,
      { in: { sequences: sequences.map((each) => neo4j.int(each)) } },
    );
    return rows.map(({ sequence, updateId, statement, previous }) => ({
      sequence,
      updateId,
      statement: JSON.parse(statement),
      ...(previous !== null && { previous: JSON.parse(previous) }),
    }));
  }

  /** Puts what is left in the place of changes; without a statement only the place in the log stays. */
  async rewriteChanges(rows: { sequence: number; statement?: Statement; previous?: Statement[] }[]): Promise<void> {
    const texts = rows.map(({ sequence, statement, previous }) => ({
      sequence: neo4j.int(sequence),
      statement: statement === undefined ? null : JSON.stringify(statement),
      previous: previous === undefined ? null : JSON.stringify(previous),
    }));
    await this.rows(
      `UNWIND $in.rows AS row
       MATCH (c:Change {tenant: $tenant, sequence: row.sequence}) USING INDEX SEEK c:Change(tenant, sequence)
       SET c = CASE WHEN row.statement IS NULL THEN c {.tenant, .sequence, .changeId, .timestamp, erased: true}
         ELSE c {.*, statement: row.statement, previous: row.previous} END`,
      { in: { rows: texts } },
    );
  }

  /**
   * Takes the provenance of these statements, current or past, from each voice where `isErased` says so; returns from
   * how many edges.
   */
  async stripProvenance(
    ids: ReadonlyMap<string, string[]>,
    isErased: (provenance: unknown) => boolean,
  ): Promise<number> {
    // The names are asked of the graph: another replica may have given them.
    const named = await this.rows<{ predicate: string; type: string }>(
      `UNWIND $in.predicates AS predicate MATCH (p:Predicate {iri: predicate}) USING INDEX SEEK p:Predicate(iri)
       RETURN predicate, p.relationshipType AS type`,
      { in: { predicates: [...ids.keys()] } },
    );
    const types = named.map(({ predicate, type }) => ({ type, statementIds: ids.get(predicate) ?? [] }));
    if (types.length === 0) return 0;
    const past = { type: 'PAST', statementIds: [...ids.values()].flat() };
    const found: (Provenances & { edge: string })[] = [];
    for (const { type, statementIds } of [...types, past]) {
      const name = quoted(type);
      const rows = await this.rows<Provenances & { edge: string }>(
        `UNWIND $in.statementIds AS statementId
         MATCH (:Entity {tenant: $tenant})-[r:${name} {statementId: statementId}]->() USING INDEX SEEK r:${name}(statementId)
         WHERE r.provenance IS NOT NULL OR r.sourceDetails IS NOT NULL
         RETURN elementId(r) AS edge, r.provenance AS provenance, r.sourceDetails AS sourceDetails`,
        { in: { statementIds } },
      );
      for (const { edge, ...kept } of rows) {
        const left = withoutProvenance(kept, isErased);
        if (left !== kept) found.push({ edge, ...left });
      }
    }
    await this.rows(
      `UNWIND $in.rows AS row MATCH ()-[r]->() WHERE elementId(r) = row.edge
       SET r.provenance = row.provenance, r.sourceDetails = row.sourceDetails`,
      { in: { rows: found } },
    );
    return found.length;
  }

  /**
   * The updates, in the order of their ids, that name an entity or hold a text.
   * @param after the last id of the page before
   * @returns those of this page, and its last id; none after the last page
   */
  async updatesHolding(
    subject: string,
    text: string,
    { after, page }: { after: string; page: number },
  ): Promise<{ ids: string[]; last: string | null }> {
    const rows = await this.rows<{ ids: string[]; last: string | null }>(
      `MATCH (u:Update) USING INDEX SEEK u:Update(id) WHERE u.id > $after
       WITH u ORDER BY u.id LIMIT $page
       RETURN max(u.id) AS last, collect(CASE WHEN u.tenant = $tenant AND ${isHolding} THEN u.id END) AS ids`,
      { subject, text, after, page: neo4j.int(page) },
    );
    return rows[0] ?? { ids: [], last: null };
  }

  /** The same for all that were proposed since. */
  async updatesHoldingSince(subject: string, text: string, since: DateTime<number>): Promise<string[]> {
    const rows = await this.rows<{ id: string }>(
      `UNWIND ['applied', 'pending', 'rejected'] AS status
       MATCH (u:Update {tenant: $tenant, status: status}) USING INDEX SEEK u:Update(tenant, status, proposedAt)
       WHERE u.proposedAt >= $since AND ${isHolding} RETURN u.id AS id`,
      { subject, text, since },
    );
    return rows.map(({ id }) => id);
  }

  async updates(ids: string[]): Promise<UpdateRecord[]> {
    const rows = await this.rows<{ update: StoredUpdate }>(
      `UNWIND $in.ids AS id MATCH (u:Update {id: id}) USING INDEX SEEK u:Update(id) WHERE u.tenant = $tenant
       RETURN u {.*} AS update`,
      { in: { ids } },
    );
    return rows.map(({ update }) => updateRecordOf(update));
  }

  /**
   * Takes from updates what was said of them, and the entity from the lists of those that they name; of one with
   * nothing left in the log all that they name. A proposal that waits is rejected.
   * @param gone the id that is to stand nowhere, if any is
   * @returns how many held anything, how many of those waited, and the tasks that made the latter
   */
  async blankUpdates(
    ids: string[],
    gone: string | undefined,
    by: string,
  ): Promise<{ updates: number; proposals: number; taskIds: string[] }> {
    const rows = await this.rows<{ updates: number; proposals: number; taskIds: string[] }>(
      `UNWIND $in.ids AS id
       MATCH (u:Update {id: id}) USING INDEX SEEK u:Update(id) WHERE u.tenant = $tenant
       WITH u, u.status = 'pending' AS waits,
         CASE WHEN u.affectedIds IS NULL THEN null
           WHEN EXISTS { (u)-[:CONTAINS]->(c:Change) WHERE c.erased IS NULL } THEN [each IN u.affectedIds WHERE each <> $gone]
           ELSE [] END AS affected,
         CASE WHEN $gone = '' THEN u.namedIds ELSE [each IN u.namedIds WHERE each <> $gone] END AS named
       WITH *, waits OR u.justification IS NOT NULL OR u.verificationDetails IS NOT NULL OR u.idempotencyKey IS NOT NULL
         OR size(affected) < size(u.affectedIds) OR size(named) < size(u.namedIds) AS held
       SET u += {justification: null, verificationDetails: null, idempotencyKey: null, proposal: null, affectedIds: affected,
         namedIds: named, status: CASE WHEN waits THEN 'rejected' ELSE u.status END, reviewedBy: CASE WHEN waits THEN $by ELSE u.reviewedBy END}
       RETURN count(CASE WHEN held THEN 1 END) AS updates, count(CASE WHEN waits THEN 1 END) AS proposals,
         collect(DISTINCT CASE WHEN waits THEN u.taskId END) AS taskIds`,
      { gone: gone ?? '', by, in: { ids } },
    );
    return rows[0] ?? { updates: 0, proposals: 0, taskIds: [] };
  }

  /** Counts edges, and the literals at their ends. */
  async countEdges(asked: EdgesAsked): Promise<ErasedEdges> {
    const rows = await this.rows<ErasedEdges>(
      `${edgesOf(asked)}
       RETURN count(CASE WHEN type(r) <> 'PAST' THEN 1 END) AS statements, count(CASE WHEN type(r) = 'PAST' THEN 1 END) AS pastStatements,
         count(DISTINCT CASE WHEN o:Literal THEN o END) AS literals`,
      { ...asked },
    );
    return rows[0] ?? { statements: 0, pastStatements: 0, literals: 0 };
  }

  /**
   * Erases at most so many edges with the literals that nothing is left of, and what the entity showed of them; its
   * neighbours know their highest certainty anew.
   */
  async eraseEdges(asked: EdgesAsked, limit: number): Promise<ErasedEdges> {
    const rows = await this.rows<EdgeRow>(
      `${edgesOf(asked)}
       WITH r, o LIMIT $limit
       RETURN elementId(r) AS edge, type(r) = 'PAST' AS past, coalesce(r.relationshipType, type(r)) AS type,
         elementId(o) AS end, o:Literal AS literal, o.id AS other`,
      { ...asked, limit: neo4j.int(limit) },
    );
    if (rows.length === 0) return { statements: 0, pastStatements: 0, literals: 0 };
    const others = rows.flatMap(({ other }) => other ?? []);
    const near = new Set(asked.predicate === undefined ? others : [...others, asked.subject]);
    if (asked.predicate === undefined) near.delete(asked.subject);
    await this.rows(`UNWIND $in.edges AS edge MATCH ()-[r]->() WHERE elementId(r) = edge DELETE r`, {
      in: { edges: rows.map(({ edge }) => edge) },
    });
    const ends = [...new Set(rows.flatMap(({ literal, end }) => (literal ? [end] : [])))];
    const literals = await this.rows<{ count: number }>(
      `UNWIND $in.ends AS end MATCH (l:Literal) WHERE elementId(l) = end AND NOT EXISTS { (l)--() }
       DELETE l RETURN count(*) AS count`,
      { in: { ends } },
    );
    await Promise.all([this.show(asked, new Set(rows.map(({ type }) => type))), this.rateAnew([...near])]);
    const pastStatements = rows.filter(({ past }) => past).length;
    return {
      statements: rows.length - pastStatements,
      pastStatements,
      literals: literals[0]?.count ?? 0,
    };
  }

  /** Whether there is such an entity. */
  async isThere(subject: string): Promise<boolean> {
    return (await this.entities([subject])).size > 0;
  }

  /** Erases an entity without edges; returns whether there was one. */
  async eraseEntity(subject: string): Promise<boolean> {
    const rows = await this.rows<{ count: number }>(
      `MATCH (e:Entity {tenant: $tenant, id: $subject}) USING INDEX SEEK e:Entity(tenant, id)
       DELETE e RETURN count(*) AS count`,
      { subject },
    );
    return (rows[0]?.count ?? 0) > 0;
  }

  /** Takes from an entity the properties that showed statements which are being erased. */
  private async show({ subject, predicate }: EdgesAsked, types: Set<string>): Promise<void> {
    if (predicate !== undefined) {
      const names = [...types].map(propertyOf).flatMap((name) => [name, certaintyPropertyOf(name)]);
      await this.project([{ id: subject, properties: Object.fromEntries(names.map((name) => [name, null])) }]);
      return;
    }
    await this.rows(
      `MATCH (e:Entity {tenant: $tenant, id: $subject}) USING INDEX SEEK e:Entity(tenant, id)
       SET e = e {.tenant, .id, .type, .${highestCertainty}}`,
      { subject },
    );
  }
}

interface ChangeRow {
  sequence: number;
  updateId: string;
  statement: string;
  previous: string | null;
}

interface EdgeRow {
  edge: string;
  past: boolean;
  type: string;
  end: string;
  literal: boolean;
  other: string | null;
}

function edgesOf({ predicate }: EdgesAsked): string {
  const start = `MATCH (e:Entity {tenant: $tenant, id: $subject})`;
  return predicate === undefined
    ? `${start}-[r]-(o) USING INDEX SEEK e:Entity(tenant, id)`
    : `${start}-[r]->(o) USING INDEX SEEK e:Entity(tenant, id) WHERE r.predicate = $predicate`;
}

const isHolding = `($subject IN coalesce(u.affectedIds, []) OR $subject IN coalesce(u.namedIds, [])
  OR u.justification CONTAINS $subject OR u.verificationDetails CONTAINS $subject OR u.idempotencyKey CONTAINS $subject
  OR u.proposal CONTAINS $text)`;
