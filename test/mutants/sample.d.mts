/** Which of these mutants a sample has: so many, by chance, and the same ones for the same seed. */
export function sampled(ids: string[], count: number, seed: string): Set<string>;
