/** Whether edits by hand are seen; if not, why and what to do, for people. */
export type CaptureState = { isSeen: true } | { isSeen: false; why: string };

/**
 * Where edits by hand come from. Each of them becomes a `DirectEdit` in the graph with what it was made on, numbered
 * under its tenant's ledger in the order of the commits; how they are taken from there is the same for all sources.
 */
export interface EditSource {
  /**
   * Makes it ready, after everything that the start of Concord changes in the graph.
   * @param signal ends the wait for it
   */
  open(signal?: AbortSignal): Promise<CaptureState>;
  /** Whether it is at work, looked at anew. */
  state(): Promise<CaptureState>;
  /** Writes down what has been committed until now and isn't written down yet. */
  writeDown(): Promise<void>;
}
