import { expect, test } from '@jest/globals';
import { behindEdits } from '../../../src/knowledge/update/behindEdits.ts';
import { EditsWait } from '../../../src/knowledge/update/commit.ts';

/** Work that edits come before so many times. */
function work(waits: number) {
  const asked: boolean[] = [];
  const attempt = async (isBehindEdits: boolean) => {
    asked.push(isBehindEdits);
    if (isBehindEdits && waits-- > 0) throw new EditsWait();
    return 'done';
  };
  return { asked, attempt };
}

test('work waits for the edits that come before it, and is then done once', async () => {
  const taken: string[] = [];
  const { asked, attempt } = work(1);
  const takeEdits = async (tenant: string) => void taken.push(tenant);
  expect(await behindEdits('north', takeEdits, attempt)).toBe('done');
  expect([taken, asked]).toEqual([['north'], [true, true]]);
});

test('work is done all the same where edits go on coming, or nothing takes them', async () => {
  const { asked, attempt } = work(100);
  expect(await behindEdits('north', async () => {}, attempt)).toBe('done');
  expect(asked).toEqual([true, true, true, false]);
  const alone = work(100);
  expect(await behindEdits('north', undefined, alone.attempt)).toBe('done');
  expect(alone.asked).toEqual([false]);
});

test('another fault of the work is its own', async () => {
  const fault = async () => {
    throw new Error('no');
  };
  await expect(behindEdits('north', async () => {}, fault)).rejects.toThrow('no');
});
