import { readFile } from 'node:fs/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { ATNConfigSet, type DFA } from 'antlr4ng';
import { Cypher25Parser } from '../../../../src/graph/qualify/grammar/generated/Cypher25Parser.ts';
import { parseCypher, plain } from '../../../../src/graph/qualify/grammar/tree.ts';

const corpus = new URL('../../../fuzz/corpus.cypher', import.meta.url);

// Other test files of the worker have read with the parser, too.
const { decisionsToDFA } = Cypher25Parser as unknown as { decisionsToDFA: DFA[] };
const others = [...decisionsToDFA];
const emptied = (states: DFA) => new (states.constructor as typeof DFA)(states.atnStartState, states.decision);
const refill = (states: DFA[]) => decisionsToDFA.splice(0, decisionsToDFA.length, ...states);

afterEach(() => {
  jest.restoreAllMocks();
  refill(others);
});

test('states of the parser whose hashes are the same are told apart', async () => {
  const queries = (await readFile(corpus, 'utf8')).split('\n---\n').filter((_, index) => index % 3 === 0);
  const hash = jest.spyOn(ATNConfigSet.prototype, 'hashCode');
  refill(others.map(emptied));
  // Before anything has been read: of the states only three hashes are left.
  hash.mockImplementation(function (this: ATNConfigSet) {
    return this.length % 3;
  });
  const withoutSpaces = (text: string) => text.replace(/\s/g, '');
  for (const query of queries) {
    if (/\/[/*]|^CYPHER|^EXPLAIN|^SHOW|\$map \{|\(n RETURN|u0027/.test(query)) continue;
    expect(withoutSpaces(plain(parseCypher(query)))).toBe(withoutSpaces(query));
  }
  expect(hash.mock.calls.length).toBeGreaterThan(1_000);
});
