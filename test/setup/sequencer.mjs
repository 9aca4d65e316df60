import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * Puts the files with a vocabulary of their own first, and else leaves the order: each time that the vocabulary changes, Neo4j
 * makes indexes anew and forgets all its plans.
 */
export default class ByVocabulary extends Sequencer {
  sort(tests) {
    const sorted = super.sort([...tests]);
    const isOwn = new Map(sorted.map((test) => [test, /\bVOCABULARY\b/.test(readFileSync(test.path, 'utf8'))]));
    return [...sorted.filter((test) => isOwn.get(test)), ...sorted.filter((test) => !isOwn.get(test))];
  }
}
