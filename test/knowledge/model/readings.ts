import type { Statement } from '../../../src/graph/statement.ts';
import type { ChangeEvent } from '../../../src/knowledge/subscribe.ts';
import { identityOf, type Logged, type Utterance } from './model.ts';
import { entityIds } from './scenario.ts';

const told = `subject predicate object { id value type language } graph certainty provenance sourceAgentId updateId revision
  observedAt recordedAt`;

export const graphQuery = `query ($ids: [ID!]!) {
  entities(where: {id: {in: $ids}}) { statements(first: 1000) { ${told} } }
}`;

/** A field `h0`, `h1`, … for each entity. */
export const historyQuery = `{
  ${entityIds
    .map(
      (id, index) => `h${index}: history(subject: ${JSON.stringify(id)}, first: 1000) {
        ${told} retractedBy retractedRevision retraction { id }
      }`,
    )
    .join('\n')}
}`;

/** A statement or version as GraphQL tells it. */
export type Told = Record<string, unknown>;

/** A statement or version, to be compared. */
export function ofTold({ observedAt, recordedAt, retraction, ...rest }: Told): Told {
  return withoutNulls({
    ...rest,
    object: withoutNulls(rest.object as Told),
    observedAt: observedAt === recordedAt ? 'recorded' : observedAt,
    endedIn: (retraction as { id: string } | null | undefined)?.id,
  });
}

/** An utterance of the model as a statement of the graph. */
export function asStatement({ statement, agent, updateId, from }: Utterance): Told {
  const { subject, predicate, provenance, ...rest } = statement;
  const stamp = provenance?.timestamp;
  return withoutNulls({
    ...rest,
    subject: subject.id,
    predicate: predicate.id,
    provenance,
    sourceAgentId: agent,
    updateId,
    revision: from,
    observedAt: typeof stamp === 'string' ? new Date(stamp).toISOString() : 'recorded',
  });
}

/** An utterance of the model as a version of the history. */
export function asVersion(utterance: Utterance): Told {
  const { until, endedBy } = utterance;
  return withoutNulls({
    ...asStatement(utterance),
    retractedRevision: until,
    retractedBy: endedBy?.agent,
    endedIn: endedBy?.updateId,
  });
}

/** An event of the change log, to be compared. */
export function ofEvent({ op, statement, changeMetadata }: ChangeEvent): Logged & { sequence: number } {
  const { sequence, revision, updateId, sourceAgentId: agent, previous = [] } = changeMetadata;
  return { op, statement, previous: sorted(previous), agent, updateId, revision, sequence };
}

export function asEvent(logged: Logged, index: number): Logged & { sequence: number } {
  return { ...logged, previous: sorted(logged.previous), sequence: index + 1 };
}

/** Statements in an order of their own. */
export function sorted(statements: Statement[]): Statement[] {
  return statements.toSorted((one, other) => (identityOf(one) < identityOf(other) ? -1 : 1));
}

/** In an order of their own. */
export function inOrder(rows: Told[]): Told[] {
  return rows
    .map((row) => [keyOf(row), row] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row);
}

/** The same text for equal values, in whatever order their members are. */
export function keyOf(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

export function withoutNulls(row: Told): Told {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined));
}
