/** What a statement's edge says of who states it, as `statements` and `history` read it. */
interface Spoken {
  sourceAgentId: string | null;
  certainty: number | null;
  provenance: unknown;
  observedAt: unknown;
  /**
   * Ids of agents and, parallel to them, what each says as JSON text (`graph/voice.ts`); absent where there is but one.
   */
  sources: string[] | null;
  sourceDetails: string[] | null;
}

/** A `StatementSource` of the schema; its absent members are null in the answer. */
export type StatementSource = Partial<Pick<Spoken, 'sourceAgentId' | 'certainty' | 'provenance' | 'observedAt'>>;

/** Resolves `sources`: everyone who states a statement, who spoke last comes last. */
export function sourcesOf({ sources, sourceDetails, ...only }: Spoken): StatementSource[] {
  if (!Array.isArray(sources) || !Array.isArray(sourceDetails)) return [only];
  return sources.map((sourceAgentId, index) => ({ sourceAgentId, ...said(sourceDetails[index]) }));
}

/** What an agent says; of what somebody else has written there, nothing. */
function said(detail: unknown): StatementSource {
  try {
    return JSON.parse(String(detail ?? '{}'));
  } catch {
    return {};
  }
}
