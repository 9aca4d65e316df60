/** What one agent says of a statement. */
export interface Voice {
  sourceAgentId: string;
  /** 0 to 1; absent means not stated. */
  certainty?: number;
  provenance?: Record<string, unknown>;
  /** Milliseconds since 1970: provenance.timestamp, else when the agent last spoke. */
  observedAt: number;
}

/**
 * What stands on the edge of a statement that several agents state: lists that are parallel, who spoke last comes last.
 */
export interface VoiceLists {
  sources: string[];
  /** For who looks at the graph: one that isn't stated is 1 here. */
  sourceCertainties: number[];
  /**
   * JSON text of the voice, without the agent: `certainty` where it is stated, `observedAt` in ISO 8601, `provenance`.
   */
  sourceDetails: string[];
}

/** The lists of several voices; of one nothing, for its edge tells it by its own properties. */
export function listsOf(voices: Voice[]): VoiceLists | undefined {
  if (voices.length < 2) return undefined;
  return {
    sources: voices.map(({ sourceAgentId }) => sourceAgentId),
    sourceCertainties: voices.map(({ certainty = 1 }) => certainty),
    sourceDetails: voices.map(({ certainty, observedAt, provenance }) =>
      JSON.stringify({ certainty, observedAt: new Date(observedAt).toISOString(), provenance }),
    ),
  };
}

/** The voices that such lists tell of. */
export function voicesOf({ sources, sourceDetails }: Pick<VoiceLists, 'sources' | 'sourceDetails'>): Voice[] {
  return sources.map((sourceAgentId, index) => {
    const { observedAt, ...said } = jsonIn(sourceDetails[index]) ?? {};
    return { sourceAgentId, ...said, observedAt: Date.parse(String(observedAt)) || 0 };
  });
}

/** What a text says in JSON; undefined where it is none, as somebody may have written past Concord. */
export function jsonIn(text: unknown): Record<string, unknown> | undefined {
  try {
    const said: unknown = JSON.parse(String(text));
    return typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Where an edge tells of provenance, as JSON text. */
export interface Provenances {
  provenance: string | null;
  sourceDetails: string[] | null;
}

/** What is left of it without the provenances that are erased; the very same where none is. */
export function withoutProvenance(kept: Provenances, isErased: (provenance: unknown) => boolean): Provenances {
  const provenance = kept.provenance !== null && isErased(JSON.parse(kept.provenance)) ? null : kept.provenance;
  const sourceDetails =
    kept.sourceDetails?.map((text) => {
      const said = JSON.parse(text);
      return isErased(said.provenance) ? JSON.stringify({ ...said, provenance: undefined }) : text;
    }) ?? null;
  const isSame =
    provenance === kept.provenance &&
    (sourceDetails ?? []).every((text, index) => text === kept.sourceDetails?.[index]);
  return isSame ? kept : { provenance, sourceDetails };
}
