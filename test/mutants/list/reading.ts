import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const qualify = (name: string) => `src/graph/qualify/${name}.ts`;
const tests = (...names: string[]) => names.map((name) => `test/${name}.test.ts`);

/** What queries may read, and who asks. */
export const reading: Mutant[] = [
  ...careless('qualify', qualify('rewrite/scope'), tests('graph/qualify/qualifier', 'graph/qualify/audit/audit'), [
    [
      'what is outside of a sub-query is certainly bound behind a WITH',
      '[name, { ...each, sure: false }] as const);',
      '[name, each] as const);',
    ],
  ]),
  ...careless('qualify', qualify('paging/keyset'), tests('graph/qualify/paging/paging', 'knowledge/query/pages'), [
    ['rows without a value come on no later page', '...(item.nullsFirst ? [] : [`${value} IS NULL`]), same]', 'same]'],
    ['the last row comes again', '`${node}.id > $afterId`', '`${node}.id >= $afterId`'],
  ]),
  ...careless('qualify', qualify('paging/indexedPage'), tests('graph/qualify/paging/paging', 'knowledge/query/pages'), [
    [
      'what is skipped is not read beyond',
      'const enough = { limit: skip === undefined ? limit : `${skip} + ${limit}` };',
      'const enough = { limit };',
    ],
  ]),
  ...careless('qualify', qualify('qualifiedText'), tests('graph/qualify/qualifier'), [
    ['a string may end where none seems to', '  refuseEscapes(given);\n', ''],
  ]),
  ...careless('qualify', qualify('rewrite/failing'), tests('graph/qualify/rewrite/failing'), [
    [
      'a pattern of letters does not count as failing',
      "value(left) || has(test, 'REGEQ')) return true;",
      'value(left)) return true;',
    ],
    ['size() does not count as failing', "'collect', 'valuetype']", "'collect', 'valuetype', 'size']"],
    [
      'a property of a list does not count as failing',
      "return isOneOf(['node', 'relationship'], base, scope);",
      "return base.rule === 'reference' && scope.kindOf(nameOf(base)).is !== 'any';",
    ],
  ]),
  ...careless(
    'qualify',
    qualify('rewrite/conjunction'),
    tests('graph/qualify/rewrite/conjunction', 'graph/qualify/rewrite/failing'),
    [
      [
        'what fails is asked before the relationships of a path',
        'const visible = [...where, ...existence.values(), ...guards].map(made);',
        'const visible = [...where, ...existence.values()].map(made);',
      ],
    ],
  ),
  ...careless('qualify', qualify('rewrite/patternElements'), tests('graph/qualify/qualifier'), [
    [
      "an edge to another tenant's node tells that a node is there",
      'whereOf([...where, isThere(other)])',
      'whereOf(where)',
    ],
  ]),
  ...careless('qualify', qualify('rewrite/startingPoints'), tests('graph/qualify/rewrite/startingPoints'), [
    [
      'a pattern that another leads to counts as one without a beginning',
      'outside.isSure(name) || known.has(name)',
      'outside.isSure(name)',
    ],
    ['an id that is not to be counts as a beginning', "new Set(['EQ', 'LT',", "new Set(['EQ', 'NEQ', 'LT',"],
  ]),
  ...careless('qualify', qualify('grammar/textLimits'), tests('graph/qualify/grammar/textLimits'), [
    [
      'sub-queries one after another count as one in the other',
      'else if (closing.has(type) && open.pop()) subqueries -= 1;',
      'else if (closing.has(type)) open.pop();',
    ],
    ['the limit itself is too much', 'if (found <= limit) return;', 'if (found < limit) return;'],
  ]),
  ...careless('queryShape', 'src/knowledge/query/queryShape.ts', tests('knowledge/query/queryLimits'), [
    ['a fragment is measured each time', '    measured.set(name, shape);\n', ''],
    ['a limit of 0 counts as one', 'Number(given.value) || otherwise;', 'Number(given.value);'],
  ]),
  ...careless('words', 'src/graph/search/words.ts', tests('graph/search/words'), [
    [
      'of many words the first are looked for',
      'words.toSorted((one, other) => weightOf(other) - weightOf(one)).slice(0, mostWords);',
      'words.slice(0, mostWords);',
    ],
  ]),
  ...careless('names', 'src/graph/names/names.ts', tests('graph/names/names'), [
    ['digits run together', '(/\\d$/.test(name) && /^\\d/.test(word) ? `_${word}` : capital(word))', 'capital(word)'],
  ]),
  ...careless('security', 'src/security/apiKeyVerifier.ts', tests('security/apiKeyVerifier'), [
    ['that a key is in use is written each time', '  record.lastUsedAt = new Date(now).toISOString();\n', ''],
  ]),
  ...careless('security', 'src/security/jwt.ts', tests('security/jwt'), [
    [
      'a token may demand what nobody understands',
      "  if (header.crit !== undefined) throw new Unauthenticated('malformed');\n",
      '',
    ],
    ['a name may end in half a character', '  if (!value.isWellFormed()) throw new Forbidden(missing);\n', ''],
  ]),
  ...careless('security', 'src/security/keySet.ts', tests('security/keySet'), [
    ['each unknown key has the set fetched', '    this.attemptedAt = this.options.now();\n', ''],
    [
      'a key set is used for ever',
      'let found = this.pick(kid, maxAgeMs + graceMs);',
      'let found = this.pick(kid, Number.POSITIVE_INFINITY);',
    ],
  ]),
  ...careless('security', 'src/security/policy.ts', tests('security/policy'), [
    [
      'who may speak for any agent is closed out of nothing',
      'if (each.to && !mayBeOneOf(principal, each.to)) continue;',
      'if (each.to && !isOneOf(principal, each.to)) continue;',
    ],
  ]),
];
