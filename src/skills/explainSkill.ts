import { z } from 'zod';
import type { UnaryMethod } from '../calls/call.ts';
import { parseParams } from '../calls/params.ts';
import { conditionParams } from '../knowledge/conditions.ts';
import { identifier, optional } from '../knowledge/patch.ts';
import type { QueryResult } from '../knowledge/query/query.ts';
import type { Skill } from './skill.ts';

/** A version of `history`, as far as the summary reads it. */
interface Version {
  id: string;
  sources: { sourceAgentId: string | null }[];
  retractedAt: string | null;
}

const params = z.strictObject({
  subject: identifier,
  predicate: optional(identifier),
  first: z.int().min(1).max(1_000).default(100),
  offset: z.int().min(0).default(0),
  ...conditionParams,
});

const update = '{ id sourceAgentId justification taskId sessionId traceId proposedAt reviewedBy revision }';

const history = `query ($subject: ID!, $predicate: ID, $first: Int!, $offset: Int!) {
  history(subject: $subject, predicate: $predicate, first: $first, offset: $offset) {
    id subject predicate object { id value type language } graph certainty provenance
    sourceAgentId taskId updateId observedAt recordedAt revision
    sources { sourceAgentId certainty provenance observedAt }
    retractedAt retractedBy retractedRevision
    update ${update} retraction ${update}
  }
}`;

/**
 * `explain`: where the statements about a subject come from, by the versions that `history` has of them. Conditions are
 * those of `knowledge/query`.
 */
export function explainSkill(query: UnaryMethod<QueryResult>): Skill {
  return {
    summary: 'Tells where statements come from: every version, with who stated it, in which update and task, and why',
    readsOnly: true,
    example: {
      skill: 'explain',
      subject: 'https://example.org/France',
      predicate: 'https://schema.org/name',
    },
    parameters: params,
    textField: 'subject',
    async run(input, call) {
      const { subject, predicate, first, offset, ...conditions } = parseParams(params, input);
      const variables = { subject, predicate, first, offset };
      const { data, queryMetadata } = await query({ query: history, variables, ...conditions }, call);
      const versions = (data?.history ?? []) as Version[];
      return {
        state: 'completed',
        artifacts: [
          {
            name: 'explanation',
            description: 'The versions, newest first',
            data: { versions, queryMetadata },
          },
        ],
        text: textOf(versions, first),
      };
    },
  };
}

function textOf(versions: Version[], first: number): string {
  if (versions.length === 0) return 'The caller sees no version of such a statement';
  const statements = new Set(versions.map(({ id }) => id)).size;
  const holding = versions.filter(({ retractedAt }) => retractedAt === null).length;
  const agents = new Set(
    versions.flatMap(({ sources }) => sources.flatMap(({ sourceAgentId }) => sourceAgentId ?? [])),
  );
  const page = versions.length === first ? '. There may be more: send it again with a larger offset or first' : '';
  return `Versions: ${versions.length}, of statements: ${statements}, of which hold: ${holding}; stated by ${[...agents].join(', ')}${page}`;
}
