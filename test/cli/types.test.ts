import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { classesOf } from '../../src/cli/types/classes.ts';
import { pythonText } from '../../src/cli/types/python.ts';
import { typescriptText } from '../../src/cli/types/typescript.ts';
import { parseVocabulary } from '../../src/vocabulary/parse.ts';
import { useFolder } from '../support/setUp.ts';
import { concord } from './command.ts';

const folder = useFolder({
  'odd.graphql': `extend schema @vocabulary(base: "urn:'quo:")
"Ends */ the comment, \\"quotes\\" and 'more'"
type Country @class(iri: "urn:c", key: ["class", "day"]) {
  class: ID
  day: Date
  from: Float @predicate(indexed: true, functional: true)
  borders: [Country!]!
  one: [Country!]! @predicate(functional: true)
  backwards: [Country!]! @inverse(of: "borders")
}
type Reference @class(key: ["key"]) { text: String key: String wire: Int }
type Many @class { id: ID! }
type Foot @class { text: String }
`,
});

test('names of the languages, of the client and in the text do no harm', async () => {
  const sdl = await readFile(join(folder, 'odd.graphql'), 'utf8');
  const classes = await classesOf(parseVocabulary(sdl, 'odd.graphql'));
  expect(classes.map(({ plural }) => plural)).toEqual(['countries', 'references', 'manies', 'feet']);
  const typescript = typescriptText(classes, "it's");
  expect(typescript).toContain("from 'it\\'s';");
  expect(typescript).toContain('Ends * / the comment');
  expect(typescript).toContain('  one: Country[];');
  expect(typescript).toContain('  borders?: Concord.Many<Concord.Reference<CountryKey>> | null;');
  expect(typescript).toContain("from: { scalar: 'Float', indexed: true, functional: true },");
  const python = pythonText(classes);
  expect(python).toContain('    class_: str | None | Unset = UNSET\n');
  expect(python).toContain('"from_": FieldModel("from", scalar="Float", indexed=True),');
  expect(python).toContain('key=("class_", "day",),');
  // An entity of the client has them already.
  expect(python).toContain('key=("key_",),');
  expect(python).toContain('"wire_": FieldModel("wire", scalar="Int"),');
});

test('without a vocabulary it says so', async () => {
  const { code, said } = await concord(['types'], { env: { VOCABULARY: '' } });
  expect([code, said]).toEqual([2, 'concord: Name the file of the vocabulary, or set VOCABULARY.\n']);
});
