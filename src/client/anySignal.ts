/** A signal that aborts with others or on its own. */
export interface Linked {
  signal: AbortSignal;
  abort(reason: unknown): void;
  /** Takes it off the others: a signal that lives as long as the program would keep that of every call. */
  release(): void;
}

export function anySignal(others: (AbortSignal | undefined)[]): Linked {
  const controller = new AbortController();
  const links = others.flatMap((other) => {
    if (other === undefined) return [];
    const follow = () => controller.abort(other.reason);
    if (other.aborted) follow();
    other.addEventListener('abort', follow, { once: true });
    return [() => other.removeEventListener('abort', follow)];
  });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => {
      for (const unlink of links) unlink();
    },
  };
}
