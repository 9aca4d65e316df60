import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { useFolder } from '../support/setUp.ts';
import { concord } from './command.ts';

const folder = useFolder({
  'world.graphql': `extend schema @vocabulary(base: "https://example.org/")
type Country @class(iri: "https://example.org/Country") { code: String name: String area: Float }
type Region @class(iri: "https://example.org/Region") { area: Float code: String }
type Measure @class(iri: "https://example.org/Measure", key: ["at"]) { at: Date value: Float }
type Place @class(iri: "https://example.org/Place") { area: Float }
`,
});

test('the style of the Browser has a rule for each class of the vocabulary, by what an entity is known by', async () => {
  const { code, printed } = await concord(['browser', join(folder, 'world.graphql')]);
  expect(code).toBe(0);
  expect(printed).toContain('node.Literal {');
  const captions = [...printed.matchAll(/^node\.(\w+) \{\n(?: {2}.+\n)*? {2}caption: "(.*)";\n\}$/gm)].map((each) =>
    each.slice(1),
  );
  expect(captions.slice(-4)).toEqual([
    ['Country', '{name}'],
    ['Region', '{code}'],
    ['Measure', '{at}'],
    ['Place', '{id}'],
  ]);
});

test('without a vocabulary the style is that of what every graph has', async () => {
  const { code, printed } = await concord(['browser'], { env: { VOCABULARY: '' } });
  expect([code, printed]).toEqual([0, await readFile('cypher/browser/style.grass', 'utf8')]);
});

test('a vocabulary that is not there is told', async () => {
  const { code, said } = await concord(['browser', 'none.graphql']);
  expect(code).toBe(1);
  expect(said).toContain('none.graphql cannot be read');
});

test('the questions are written as files, whose first line is what the Browser calls them', async () => {
  const into = join(folder, 'a', 'b');
  const { code, said } = await concord(['browser', '--questions', into]);
  const files = (await readdir(into)).sort();
  expect([code, said.trimEnd().split('\n')]).toEqual([0, files.map((each) => `written: ${join(into, each)}`)]);
  expect(files).toHaveLength(11);
  for (const each of files) expect(await readFile(join(into, each), 'utf8')).toMatch(/^\/\/ .+\?\nMATCH /);
});
