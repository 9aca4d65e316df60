import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Seconds of processor time by file (times.mjs). Jest would remember its own, but not in a fresh clone. */
const durations = JSON.parse(readFileSync(new URL('durations.json', import.meta.url), 'utf8'));

/** Kilobytes of a test and of what bears its name beside it: what starts services and kills them fills a folder. */
function sizeOf(path) {
  const [folder, module] = ['', '.ts'].map((end) => path.replace(/\.test\.ts$/, end));
  const inFolder = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const files = [path, module, ...inFolder].filter((file) => existsSync(file));
  return files.reduce((size, file) => size + statSync(file).size, 0) / 1_000;
}

/**
 * Puts the files with a vocabulary of their own first: each time that the vocabulary changes, Neo4j makes indexes anew
 * and forgets all its plans. Then the longest come first, so that no worker has a long one left when the other has
 * none. One that nobody has measured is taken for a second a kilobyte.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const weighed = tests.map((test) => ({
      test,
      isOwn: /\bVOCABULARY\b/.test(readFileSync(test.path, 'utf8')),
      seconds: durations[relative(test.context.config.rootDir, test.path)] ?? sizeOf(test.path),
    }));
    weighed.sort((one, other) => other.isOwn - one.isOwn || other.seconds - one.seconds);
    return weighed.map(({ test }) => test);
  }
}
