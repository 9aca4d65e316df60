import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { add } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useFolder, useService } from '../support/setUp.ts';

const folder = useFolder();
const file = join(folder, 'elements.graphql');
writeFileSync(
  file,
  `extend schema @vocabulary(base: "urn:e:")
   type Element @class { symbol: String! @predicate(functional: true) block: Block! }
   type Block @class { name: String! parent: Block elements: [Element!]! @inverse(of: "block") }`,
);
const service = useService({ VOCABULARY: file });

const block = (letter: string) => ({ id: `urn:e:${letter}`, type: 'urn:e:Block' });
const element = { type: 'urn:e:Element' };

beforeAll(async () => {
  await state([
    ...['s', 'p', 'd'].map((letter) => add(block(letter).id, 'urn:e:name', letter, { type: 'urn:e:Block' })),
    add('urn:e:p', 'urn:e:parent', block('s')),
    add('urn:e:he', 'urn:e:symbol', 'He', element),
    add('urn:e:he', 'urn:e:block', block('p'), { certainty: 0.4 }),
    add('urn:e:he', 'urn:e:block', block('s'), { certainty: 0.9, graph: 'urn:g' }),
    add('urn:e:he', 'urn:e:block', block('d'), { certainty: 0.6, graph: 'urn:h' }),
    add('urn:e:x', 'urn:e:symbol', 'X', element),
  ]);
});

async function state(mutations: object[]) {
  return (await call(service.url, 'knowledge/update', { mutations })).result;
}

async function ask(query: string, conditions: object = {}) {
  const { result, error } = await call(service.url, 'knowledge/query', { query, ...conditions });
  expect(error).toBeUndefined();
  return result.data;
}

const helium = '(where: {symbol: {eq: "He"}})';

test('a single link is one object, the most certain of several graphs, or null', async () => {
  expect(await ask('{ elements(sort: [{symbol: ASC}]) { symbol block { name elements { symbol } } } }')).toEqual({
    elements: [
      { symbol: 'He', block: { name: 's', elements: [{ symbol: 'He' }] } },
      { symbol: 'X', block: null },
    ],
  });
});

test('of several the one counts that a query may see', async () => {
  await state([add('urn:e:he', 'urn:e:block', block('s'), { certainty: 0.5, graph: 'urn:g' })]);
  expect(await ask(`{ elements${helium} { block { name } } }`)).toEqual({
    elements: [{ block: { name: 'd' } }],
  });
  const then = { metadata: { asOfRevision: 1 } };
  expect(await ask(`{ elements${helium} { block { name } } }`, then)).toEqual({
    elements: [{ block: { name: 's' } }],
  });
  const certain = { requiredCertainty: 0.7 };
  expect(await ask(`{ elements${helium} { block { name } } }`, { ...certain, ...then })).toEqual({
    elements: [{ block: { name: 's' } }],
  });
  expect(await ask('{ elements { symbol block { name } } }', { requiredCertainty: 0.95 })).toEqual({
    elements: expect.arrayContaining([{ symbol: 'He', block: null }]),
  });
});

test('its connection has every link with who states it', async () => {
  const query = `{ elements${helium} { blockConnection { totalCount edges { properties { certainty graph } node { name } } } } }`;
  expect(await ask(query)).toEqual({
    elements: [
      {
        blockConnection: {
          totalCount: 3,
          edges: expect.arrayContaining([{ properties: { certainty: 0.6, graph: 'urn:h' }, node: { name: 'd' } }]),
        },
      },
    ],
  });
});

test('entities are found by it, by what is behind it, by its edge and by its absence', async () => {
  const found = (where: string) => ask(`{ elements(where: {${where}}) { symbol } }`);
  const he = { elements: [{ symbol: 'He' }] };
  expect(await found('block: {name: {eq: "s"}}')).toEqual(he);
  expect(await found('block: {parent: {name: {eq: "s"}}}')).toEqual(he);
  expect(await found('blockConnection: {edge: {certainty: {gte: 0.6}}}')).toEqual(he);
  expect(await found('block: null')).toEqual({ elements: [{ symbol: 'X' }] });
});

test('it is one under an alias, in a fragment, in a connection, in an inverse and in itself', async () => {
  const query = `{
    elementsConnection(where: {symbol: {eq: "He"}}) { edges { node { one: block { ...of } } } }
    blocks(where: {name: {eq: "p"}}) { elements { block { name } } parent { up: parent { name } name } }
  }
  fragment of on Block { title: name }`;
  expect(await ask(query)).toEqual({
    elementsConnection: { edges: [{ node: { one: { title: 'd' } } }] },
    blocks: [{ elements: [{ block: { name: 'd' } }], parent: { up: null, name: 's' } }],
  });
});

test('a functional scalar and a single link take no second value in one graph', async () => {
  const update = (mutations: object[]) => call(service.url, 'knowledge/update', { mutations });
  for (const second of [add('urn:e:he', 'urn:e:symbol', 'Hx'), add('urn:e:he', 'urn:e:block', block('s'))]) {
    expect((await update([second])).result).toMatchObject({
      success: false,
      verificationDetails: expect.stringContaining('functional-predicate'),
    });
  }
});
