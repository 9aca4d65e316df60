import { beforeAll, expect, test } from '@jest/globals';
import { type Classes, vocabulary } from '../../examples/vocabulary.ts';
import { connect, InvalidParamsError, type TypedClient, typed } from '../../src/client/index.ts';
import { useService } from '../support/setUp.ts';

const service = useService({ VOCABULARY: 'examples/vocabulary.graphql' });
let table: TypedClient<Classes>;
beforeAll(async () => {
  table = typed(await connect(service.url, { agentId: 'ada' }), vocabulary);
});

const base = 'https://example.org/examples#';

test('what is put by names is asked for by names, with the types of the vocabulary', async () => {
  const discovered = new Date('1898-12-26');
  const checkedAt = new Date('2026-01-02T03:04:05.678Z');
  await table.put('Person', { name: 'Marie Curie' }, { id: 'urn:curie' });
  const result = await table.put(
    'Element',
    {
      symbol: 'Ra',
      name: { value: 'Radium', language: 'en' },
      number: 88,
      ...{ discovered, checkedAt, radioactive: true },
      aliases: ['radium', 'Ra-226'],
      block: { letter: 's' },
      discoveredBy: [{ id: 'urn:curie' }],
    },
    { certainty: 0.9, source: 'CRC', observedAt: checkedAt },
  );
  expect(result).toMatchObject({ success: true, statementsAffected: 10 });
  await table.put('Block', { letter: 's' });
  const elements = await table.elements({
    where: {
      symbol: { eq: 'Ra' },
      discovered: { lte: discovered },
      discoveredBy: { some: { name: { startsWith: 'Marie' } } },
      block: { letter: { eq: 's' } },
    },
    select: {
      id: true,
      ...{ name: true, number: true, discovered: true, checkedAt: true, aliases: true, meltingPoint: true },
      block: { letter: true, elements: { symbol: true } },
      discoveredBy: { name: true },
    },
    sort: [{ number: 'DESC' }],
    limit: 5,
  });
  expect(elements).toEqual([
    {
      id: `${base}Element?symbol=Ra`,
      ...{ name: 'Radium', number: 88, discovered, checkedAt, meltingPoint: null },
      aliases: expect.arrayContaining(['radium', 'Ra-226']),
      block: { letter: 's', elements: [{ symbol: 'Ra' }] },
      discoveredBy: [{ name: 'Marie Curie' }],
    },
  ]);
  expect(elements[0]?.id).toBe(table.idOf('Element', { symbol: 'Ra' }));
  const [element] = elements;
  // They compile: the types are those of the fields.
  const when: Date | null | undefined = element?.discovered;
  const letter: string | null | undefined = element?.block?.letter;
  expect([when, letter]).toEqual([discovered, 's']);
  // @ts-expect-error it wasn't selected
  expect(element?.radioactive).toBeUndefined();
});

test('links are set, and what was said is taken back', async () => {
  await table.put('Element', { symbol: 'U', name: 'Uranium', number: 92, aliases: ['a', 'b'] });
  await table.link('Element', { symbol: 'U' }, 'block', { letter: 'd' });
  await table.link('Element', { symbol: 'U' }, 'block', { letter: 'f' });
  await table.put('Block', { letter: 'f' });
  const uranium = () =>
    table.elements({
      where: { symbol: { eq: 'U' } },
      select: { name: true, number: true, aliases: true, block: { letter: true } },
    });
  expect(await uranium()).toMatchObject([{ block: { letter: 'f' } }]);
  await table.retract('Element', { symbol: 'U' }, ['name', 'block']);
  await table.retract('Element', { symbol: 'U' }, { aliases: ['a'] });
  expect(await uranium()).toEqual([{ name: null, number: 92, aliases: ['b'], block: null }]);
});

test('what the vocabulary does not have is found out before it is sent', async () => {
  const { client } = table;
  const sent: unknown[] = [];
  const deaf = typed(
    Object.assign(Object.create(client), { update: async (change: unknown) => sent.push(change) }),
    vocabulary,
  );
  // biome-ignore lint/suspicious/noExplicitAny: what the types refuse, a program without types may do.
  const untyped = deaf as any;
  const faults: [() => unknown, string][] = [
    // @ts-expect-error no such class
    [() => deaf.put('Elemnt', {}), "class names 'Elemnt', which is no class of the vocabulary"],
    // @ts-expect-error no such field
    [() => deaf.put('Element', { symbol: 'x', nmae: 'x' }), 'Element.nmae is no field of Element'],
    // @ts-expect-error text
    [() => deaf.put('Element', { symbol: 'x', number: '1' }), 'Element.number is not a whole number'],
    [
      // @ts-expect-error a key of another class
      () => deaf.link('Element', { symbol: 'x' }, 'block', { symbol: 'x' }),
      'symbol is not of the key of Block',
    ],
    // @ts-expect-error no link
    [() => deaf.link('Element', { symbol: 'x' }, 'name', { letter: 'x' }), 'Element.name is not text'],
    [() => deaf.put('Element', { symbol: 'x', number: 1.5 }), 'Element.number is not a whole number'],
    [() => deaf.put('Element', { symbol: 'x', meltingPoint: Number.NaN }), 'Element.meltingPoint is not a number'],
    [() => deaf.put('Element', { symbol: 'x', discovered: '1898' }), 'Element.discovered is not a day'],
    [() => deaf.put('Element', { symbol: 'x', checkedAt: new Date('x') }), 'Element.checkedAt is not a time'],
    [() => deaf.put('Element', { name: 'x' }), 'Element.symbol is of the key, and missing'],
    [() => deaf.put('Person', { name: 'x' }), 'Person has no key in the vocabulary: give the option id'],
    // @ts-expect-error half a key
    [() => deaf.put('Element', { symbol: 'x', block: {} }), 'Element.block.letter is not text'],
    // @ts-expect-error another class's key
    [() => deaf.put('Element', { symbol: 'x', block: { symbol: 'x' } }), 'symbol is not of the key of Block'],
    [
      // @ts-expect-error the class has no key
      () => deaf.put('Element', { symbol: 'x', discoveredBy: [{ name: 'x' }] }),
      'which has no key: give { id }',
    ],
    // @ts-expect-error the other end
    [() => deaf.put('Block', { letter: 'x', elements: [] }), 'Block.elements is the other end of a link'],
    [() => untyped.put('Element', { symbol: 'x', __proto__: null, constructor: 1 }), 'constructor is no field'],
    [() => untyped.put('constructor', {}), "names 'constructor', which is no class"],
  ];
  for (const [put, message] of faults) {
    // A rejected promise, as every other fault of a call.
    const error = await (put() as Promise<unknown>).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect((error as Error).message).toContain(message);
  }
  expect(sent).toEqual([]);
});

test('nor is a selection asked that the vocabulary does not have, or that holds GraphQL of its own', async () => {
  const select = (chosen: object) => table.elements({ select: chosen as { id: true } });
  await expect(select({ nmae: true })).rejects.toThrow('select.nmae is no field of Element');
  await expect(select({ 'id } blocks { letter': true })).rejects.toThrow('is no field of Element');
  await expect(select({ block: true })).rejects.toThrow('select.block is an entity');
  await expect(select({ name: { id: true } })).rejects.toThrow('select.name is a value');
  await expect(select({})).rejects.toThrow('select is empty');
  await expect(table.elements({ where: { nmae: 1 } as object, select: { id: true } })).rejects.toThrow('where.nmae');
  // @ts-expect-error no such field
  await expect(table.elements({ select: { nmae: true } })).rejects.toThrow(InvalidParamsError);
  // @ts-expect-error no such condition
  const odd = table.elements({ select: { id: true }, where: { number: { contains: 'x' } } });
  await expect(odd).rejects.toThrow('got invalid value');
});

test('a class whose plural is a name within the client does no harm', () => {
  const model = { iri: 'urn:m', plural: 'models', key: ['name'], fields: { name: { scalar: 'String' } } } as const;
  interface Model {
    Model: { row: { name: string }; fields: { name?: string }; key: { name: string }; plural: 'models' };
  }
  const models = typed<Model>(table.client, { classes: { Model: model } });
  expect(models.entity('Model', { name: 'x' })).toEqual({ class: 'Model', key: { name: 'x' } });
  expect(models.models).toBeInstanceOf(Function);
});

test('rows tell where there are more than come without a limit', async () => {
  const letters = Array.from({ length: 101 }, (_, at) => `cut-${at}`);
  await table.sendAll(letters.map((letter) => table.entity('Block', { letter })));
  const where = { letter: { startsWith: 'cut-' } };
  const cut = await table.blocks({ where, select: { letter: true } });
  expect([cut.length, cut.truncated]).toEqual([100, true]);
  const whole = await table.blocks({ where, select: { letter: true }, limit: 200 });
  expect([whole.length, whole.truncated]).toEqual([101, undefined]);
});
