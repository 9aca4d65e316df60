import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { seek } from '../../src/changes/seek.ts';

/** A log whose changes were made at these times, of which the first so many are gone. */
function logOf(times: number[], gone: number) {
  const places = times.map((at, index) => ({ at, sequence: index + 1 })).slice(gone);
  let lookUps = 0;
  const placeAfter = async (sequence: number) => {
    lookUps += 1;
    return places.find((place) => place.sequence > sequence);
  };
  return { log: { placeAfter, head: times.length }, places, lookUps: () => lookUps };
}

test('the place of a time has all changes of it and later behind it, and none of before', async () => {
  const ordered = fc.array(fc.nat(20), { maxLength: 40 }).map((times) => times.sort((one, other) => one - other));
  await fc.assert(
    fc.asyncProperty(ordered, fc.nat(40), fc.integer({ min: -1, max: 22 }), async (times, gone, since) => {
      const { log, places } = logOf(times, gone);
      const found = await seek(log, since);
      const later = places.filter(({ at }) => at >= since).map(({ sequence }) => sequence);
      expect(places.filter(({ sequence }) => sequence > found.after).map(({ sequence }) => sequence)).toEqual(later);
      expect(found.after).toBeLessThanOrEqual(log.head);
      const first = places[0];
      // What is gone may have been of that time too.
      expect(found.isWhole).toBe(first === undefined ? times.length === 0 : first.sequence === 1 || first.at < since);
      expect(found.oldest).toBe(first?.sequence ?? times.length + 1);
    }),
  );
});

test('a million changes take some twenty look-ups', async () => {
  let lookUps = 0;
  const placeAfter = async (sequence: number) => {
    lookUps += 1;
    return { sequence: sequence + 1, at: sequence + 1 };
  };
  expect((await seek({ placeAfter, head: 1_000_000 }, 765_432)).after).toBe(765_431);
  expect(lookUps).toBeLessThan(25);
});
