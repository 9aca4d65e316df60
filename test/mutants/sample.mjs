import { createHash } from 'node:crypto';

/**
 * Which of these mutants a sample has: so many, by chance, and the same ones for the same seed.
 * @param {string[]} ids
 * @param {number} count
 * @param {string} seed
 */
export function sampled(ids, count, seed) {
  const place = (id) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  const placed = ids
    .map((id) => /** @type {const} */ ([place(id), id]))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return new Set(placed.slice(0, count).map(([, id]) => id));
}

/**
 * To StrykerJS a checker is what says of a mutant that it need not be tried. This one says so of all that are not in
 * the sample of MUTANT_SAMPLE and MUTANT_SEED.
 */
class SampleChecker {
  async init() {}

  /** All at once, for a sample is one of all. */
  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants) {
    const { MUTANT_SAMPLE: count, MUTANT_SEED: seed } = process.env;
    const ids = mutants.map(({ id }) => id);
    const chosen = sampled(ids, Number(count), seed ?? '');
    return Object.fromEntries(
      ids.map((id) => [id, chosen.has(id) ? { status: 'passed' } : { status: 'compileError', reason: 'not sampled' }]),
    );
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: SampleChecker }];
