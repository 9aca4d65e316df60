import { z } from 'zod';
import { readCountries } from '../../demo/countries.ts';
import { patchesOf } from '../../demo/patches.ts';
import { type Patch, patch } from '../../src/knowledge/patch.ts';
import { call } from './client.ts';

export const countries = readCountries();

/** What the demo says about the countries of the world, some 7,000 statements. */
export const patches: Patch[] = withCertainties(checked(patchesOf(countries)));

/** Patches as Concord takes them. */
export function checked(input: unknown): Patch[] {
  return z.array(patch).parse(input);
}

/**
 * With a certainty from 0.3 to 1 for every third, so that a required certainty leaves something out; always the same.
 */
export function withCertainties(all: Patch[]): Patch[] {
  return all.map((each, index) => {
    if (index % 3 !== 0) return each;
    const certainty = 0.3 + ((index * 7_919) % 701) / 1_000;
    return { ...each, statement: { ...each.statement, certainty } };
  });
}

const together = 2_000;

/** Loads statements as any agent would. */
export async function load(url: string, all: Patch[]): Promise<void> {
  for (let from = 0; from < all.length; from += together) {
    const mutations = all.slice(from, from + together);
    await call(url, 'knowledge/update', { sourceAgentId: 'bench', justification: 'the graph', mutations });
  }
}

/**
 * Statements of the world's shape about other things.
 * @param count how many; the world is repeated as often as needed
 * @param prefix of the ids, by which nothing of it is there already
 */
export function worldLike(count: number, prefix: string): Patch[] {
  return Array.from({ length: count }, (_, index) => {
    const model = patches[index % patches.length];
    if (model === undefined) throw new Error('There are no countries');
    const rename = (id: string) => `${prefix}${Math.floor(index / patches.length)}/${id.split('/world/').at(-1)}`;
    const { subject, object } = model.statement;
    return {
      op: model.op,
      statement: {
        ...model.statement,
        subject: { ...subject, id: rename(subject.id) },
        object: 'id' in object ? { ...object, id: rename(object.id) } : object,
      },
    };
  });
}
