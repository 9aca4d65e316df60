import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { parseSources } from '../../src/config/sources.ts';

test('sources are named one a line, of the default tenant or of another', () => {
  const text =
    '\nshop = postgres://reader:s=e@db:5432/shop\r\nacme/shop=pglite:./data\nbooks=mysql://u@db/books\ngraph=neo4j+s://u@db/neo4j\n';
  expect(parseSources(text)).toEqual([
    { name: 'shop', kind: 'postgresql', url: 'postgres://reader:s=e@db:5432/shop' },
    { tenant: 'acme', name: 'shop', kind: 'pglite', url: 'pglite:./data' },
    { name: 'books', kind: 'mysql', url: 'mysql://u@db/books' },
    { name: 'graph', kind: 'neo4j', url: 'neo4j+s://u@db/neo4j' },
  ]);
});

test.each([
  ['shop', 'line 1 no name=address'],
  ['Shop=postgres://u:secret@db/shop', 'line 1 no name=address'],
  ['a/b/c=postgres://u:secret@db/shop', 'line 1 no name=address'],
  ['shop=mongodb://u:secret@db/shop', "has for 'shop' neither"],
  ['shop=postgres://u:secret@:x/shop', "has for 'shop' neither"],
  ['shop=pglite:', "has for 'shop' neither"],
  ['shop=pglite:a\nshop=pglite:b', "names 'shop' twice"],
])('a wrong line is told without its address: %s', (text, says) => {
  const read = () => readConfig({ SOURCES: text });
  expect(read).toThrow(says);
  expect(read).not.toThrow('secret');
});
