/** What a load came to. */
export interface Load {
  /** Milliseconds from each question to its answer. */
  times: number[];
  /** From the first question to the last answer. */
  seconds: number;
}

/** Clients that ask the next when the last is answered, and nothing new once the window is over. */
export async function keepBusy(ask: () => Promise<unknown>, clients: number, windowMs: number): Promise<Load> {
  const times: number[] = [];
  const started = performance.now();
  const client = async () => {
    while (performance.now() - started < windowMs) {
      const asked = performance.now();
      await ask();
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { times, seconds: (performance.now() - started) / 1_000 };
}
