import type { Statement } from '../../../src/graph/statements/statement.ts';
import type { ChangeEvent } from '../../../src/knowledge/subscribe/subscribe.ts';
import { identityOf, type Logged, type Utterance, type Voice } from './model.ts';
import { entityIds } from './scenario.ts';

const told = `subject predicate object { id value type language } graph certainty provenance sourceAgentId updateId revision
  observedAt recordedAt sources { sourceAgentId certainty provenance observedAt }`;

export const graphQuery = `query ($ids: [ID!]!) {
  entities(where: {id: {in: $ids}}, limit: 10) { statements(first: 1000) { ${told} } }
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
export function ofTold({ retraction, ...rest }: Told): Told {
  return withoutNulls({
    ...rest,
    object: withoutNulls(rest.object as Told),
    sources: (rest.sources as Told[]).map(withoutNulls),
    endedIn: (retraction as { id: string } | null | undefined)?.id,
  });
}

/** When each revision was recorded: the model has no clock, and takes it from the graph. */
export type Times = ReadonlyMap<unknown, unknown>;

/** @param versions all that were ever told */
export function timesOf(versions: Told[]): Times {
  return new Map(versions.map(({ revision, recordedAt }) => [revision, recordedAt]));
}

/** An utterance of the model as a statement of the graph. */
export function asStatement({ statement, voices, updateId, from }: Utterance, times: Times): Told {
  const { subject, predicate, ...rest } = statement;
  const sources = voices.map((voice) => sourceOf(voice, times));
  const { sourceAgentId, observedAt } = sources.at(-1) ?? {};
  return withoutNulls({
    ...rest,
    subject: subject.id,
    predicate: predicate.id,
    sourceAgentId,
    updateId,
    revision: from,
    observedAt,
    recordedAt: times.get(from),
    sources,
  });
}

function sourceOf({ agent, said, since }: Voice, times: Times): Told {
  const stamp = said.provenance?.timestamp;
  const observedAt = typeof stamp === 'string' ? new Date(stamp).toISOString() : times.get(since);
  return { sourceAgentId: agent, ...said, observedAt };
}

/** An utterance of the model as a version of the history. */
export function asVersion(utterance: Utterance, times: Times): Told {
  const { until, endedBy } = utterance;
  return withoutNulls({
    ...asStatement(utterance, times),
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
