import { expect, test } from '@jest/globals';
import { Rereading } from '../../src/security/rereading.ts';

/** What is used, and which faults are told, where one text is found after another; the last one stays. */
async function rereading(texts: string[], isPatient: boolean): Promise<{ used: string[]; faults: string[] }> {
  const [used, faults]: [string[], string[]] = [[], []];
  let looks = 0;
  const reread = new Rereading('first', {
    async read() {
      looks += 1;
      const text = texts[looks - 1] ?? texts.at(-1) ?? '';
      if (text === 'absent') throw new Error('it is absent');
      return text;
    },
    textOf: (text) => text,
    use(text) {
      if (text.startsWith('bad')) throw new Error(`${text} is faulty`);
      used.push(text);
    },
    onFault: (reason) => faults.push(reason),
    onError: (error) => {
      throw error;
    },
    isPatient,
    everyMs: 1,
  });
  while (looks < texts.length + 3) await new Promise((resolve) => setTimeout(resolve, 1));
  await reread.close();
  return { used, faults };
}

test('what has changed is used once, and what is as it was is not', async () => {
  expect(await rereading(['first', 'second', 'second', 'first'], false)).toEqual({
    used: ['second', 'first'],
    faults: [],
  });
});

test('a fault changes nothing and is told once, whether it is in what was read or in reading it', async () => {
  const texts = ['bad', 'bad', 'absent', 'absent', 'bad', 'second'];
  expect(await rereading(texts, false)).toEqual({
    used: ['second'],
    faults: ['bad is faulty', 'it is absent', 'bad is faulty'],
  });
});

test('the patient are told of a fault that is found twice, and not of one in passing', async () => {
  expect(await rereading(['bad', 'second'], true)).toEqual({ used: ['second'], faults: [] });
  expect(await rereading(['bad', 'worse', 'bad', 'bad', 'bad'], true)).toEqual({
    used: ['worse'],
    faults: ['bad is faulty'],
  });
});
