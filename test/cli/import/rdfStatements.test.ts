import { describe, expect, test } from '@jest/globals';
import { patchesOf } from './patchesOf.ts';

const prefixes =
  '@prefix : <urn:e:> . @prefix c: <urn:concord:> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n';
const turtle = (text: string, options = {}) => patchesOf(prefixes + text, 'ttl', options);
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

describe('classes', () => {
  test('a type is the class of its subject, before, behind or between what is said of it', async () => {
    const { statements } = await turtle(':a a :C . :a :p 1 . :b :p 2 . :b a :C . :x :q :d . :d a :D .');
    expect(statements).toEqual([
      { subject: { id: 'urn:e:a', type: 'urn:e:C' }, predicate: { id: 'urn:e:p' }, object: { value: 1 } },
      { subject: { id: 'urn:e:b', type: 'urn:e:C' }, predicate: { id: 'urn:e:p' }, object: { value: 2 } },
      {
        subject: { id: 'urn:e:x' },
        predicate: { id: 'urn:e:q' },
        object: { id: 'urn:e:d', type: 'urn:e:D' },
      },
    ]);
  });

  test('a second type is a statement, and the first one again is nothing', async () => {
    const { statements } = await turtle(':a a :C, :D, :C ; :p 1 .');
    expect(statements).toEqual([
      { subject: { id: 'urn:e:a', type: 'urn:e:C' }, predicate: { id: type }, object: { id: 'urn:e:D' } },
      { subject: { id: 'urn:e:a' }, predicate: { id: 'urn:e:p' }, object: { value: 1 } },
    ]);
  });

  test('a type whose entity is nowhere else, or was sent before, is a statement that carries it', async () => {
    const { batches } = await turtle(':a :p 1 . :b :p 2 . :a a :C . :c a :C .', { batch: 1 });
    const [, , ...late] = batches.flatMap(({ drafts }) => drafts.map(({ patch }) => patch.statement));
    expect(late).toEqual(
      ['a', 'c'].map((name) => ({
        subject: { id: `urn:e:${name}`, type: 'urn:e:C' },
        predicate: { id: type },
        object: { id: 'urn:e:C' },
      })),
    );
  });
});

describe('what is said of statements', () => {
  const annotated = {
    subject: { id: 'urn:e:a' },
    predicate: { id: 'urn:e:p' },
    object: { id: 'urn:e:b' },
    certainty: 0.9,
    provenance: { source: 'x', 'urn:e:by': ['urn:e:me', 'urn:e:you'] },
  };
  test.each([
    ['annotations', ':a :p :b {| c:certainty 0.9 ; c:provenance "{\\"source\\": \\"x\\"}" ; :by :me, :you |} .'],
    [
      'a reifier that comes first',
      '<< :a :p :b ~ :r >> c:certainty 0.9 . :r :by :me . :r :by :you . :a :p :b . :r c:provenance "{\\"source\\": \\"x\\"}" .',
    ],
    [
      'rdf:Statement',
      ':a :p :b . [] a rdf:Statement ; rdf:subject :a ; rdf:predicate :p ; rdf:object :b ; c:certainty 0.9 ; :by :me, :you ; c:provenance "{\\"source\\": \\"x\\"}" .',
    ],
  ])('%s', async (_, text) => {
    const { statements, faults } = await turtle(text);
    expect(faults).toEqual([]);
    expect(statements).toEqual([annotated]);
  });

  test('it belongs to the statement in the graph of its reifier', async () => {
    const { statements } = await patchesOf(
      `${prefixes} :g { :a :p :b . } :h { :a :p :b {| c:certainty 0.5 |} . }`,
      'trig',
    );
    expect(statements.map(({ graph, certainty }) => [graph, certainty])).toEqual([
      ['urn:e:g', undefined],
      ['urn:e:h', 0.5],
    ]);
  });

  test('of one that has been sent, it states it again', async () => {
    const { statements } = await turtle(':a :p :b ~ :r . :a :p :c . :a :p :d . :r c:certainty 0.5 .', {
      batch: 1,
    });
    expect(statements.map(({ object, certainty }) => ['id' in object && object.id, certainty])).toEqual([
      ['urn:e:b', undefined],
      ['urn:e:c', undefined],
      ['urn:e:d', undefined],
      ['urn:e:b', 0.5],
    ]);
  });

  test('of one that is never stated, it is left out and counted', async () => {
    const { patches, unasserted } = await turtle('<< :a :p :b >> c:certainty 0.5 .');
    expect([patches, unasserted]).toEqual([[], 1]);
  });

  test('an annotated type is a statement', async () => {
    const { statements } = await turtle(':x :p 1 . :a a :C {| c:certainty 0.5 |} .');
    expect(statements[1]).toEqual({
      subject: { id: 'urn:e:a', type: 'urn:e:C' },
      predicate: { id: type },
      object: { id: 'urn:e:C' },
      certainty: 0.5,
    });
  });

  test.each([
    [':a :p :b {| c:certainty "high" |} .', 'the certainty is not a number'],
    [':a :p :b {| c:certainty 1.5 |} .', /certainty is above 1/],
    [':a :p :b {| c:provenance "[1]" |} .', /provenance is not a JSON object/],
    [':a :p <<( :a :p :b )>> .', /triple term/],
  ])('%s is faulty', async (text, reason) => {
    const { faults } = await turtle(text);
    expect(faults.map((fault) => fault.reason)).toEqual([expect.stringMatching(reason)]);
  });
});

describe('graphs of one statement each', () => {
  const about = 'urn:concord:statement:x1';
  const certainty = (graph: string, value = 0.5) => `<${graph}> <urn:concord:certainty> ${value} .`;

  test.each([
    ['before', `${certainty(about)} <${about}> { <urn:a> <urn:p> "x" }`],
    ['behind', `<${about}> { <urn:a> <urn:p> "x" } ${certainty(about)}`],
  ])('what is said %s of the graph is said of its statement, which is in none', async (_, text) => {
    const { statements, unasserted } = await patchesOf(text, 'trig');
    expect([statements, unasserted]).toEqual([
      [{ subject: { id: 'urn:a' }, predicate: { id: 'urn:p' }, object: { value: 'x' }, certainty: 0.5 }],
      0,
    ]);
  });

  test('the statement is in the graph that the name tells, or else in that for statements without one', async () => {
    const text = `<${about}:urn%3Ag> { <urn:a> <urn:p> 1 } <${about}> { <urn:a> <urn:p> 2 } ${certainty(about)}`;
    const { statements } = await patchesOf(text, 'trig', { graph: 'urn:default' });
    expect(statements.map(({ graph, certainty: said }) => [graph, said])).toEqual([
      ['urn:g', undefined],
      ['urn:default', 0.5],
    ]);
  });

  test('a type in one is a statement and no class', async () => {
    const { statements } = await patchesOf(`<${about}> { <urn:a> a <urn:C> }`, 'trig');
    expect(statements).toEqual([{ subject: { id: 'urn:a' }, predicate: { id: type }, object: { id: 'urn:C' } }]);
  });

  test('another statement in one is faulty, and what is said of one that is nowhere is left out and counted', async () => {
    const two = await patchesOf(`<${about}> { <urn:a> <urn:p> 1, 2 }`, 'trig');
    expect([two.faults.map(({ reason }) => reason), two.patches.length]).toEqual([
      ['the graph of one statement holds another as well'],
      1,
    ]);
    const none = await patchesOf(certainty(about), 'trig');
    expect([none.patches, none.unasserted]).toEqual([[], 1]);
  });

  test.each([`${about}:`, `${about}:%`, 'urn:concord:statement:', 'urn:concord:statement:a b'.replace(' ', '/')])(
    '<%s> is a graph like any other',
    async (graph) => {
      const { statements } = await patchesOf(`<${graph}> { <urn:a> <urn:p> 1 }`, 'trig');
      expect(statements[0]?.graph).toBe(graph);
    },
  );
});

test('graphs, languages and types are kept, and statements without a graph go where they are told', async () => {
  const text = '<urn:a> <urn:p> "x"@de <urn:g> .\n\n# nothing\r\n<urn:a> <urn:p> "1"^^<urn:t> .\r\n';
  const { statements } = await patchesOf(text, 'nq', { graph: 'urn:default' });
  expect(statements).toEqual([
    {
      subject: { id: 'urn:a' },
      predicate: { id: 'urn:p' },
      object: { value: 'x', language: 'de' },
      graph: 'urn:g',
    },
    {
      subject: { id: 'urn:a' },
      predicate: { id: 'urn:p' },
      object: { value: '1', type: 'urn:t' },
      graph: 'urn:default',
    },
  ]);
});

test('blank nodes are the same in each reading of a file, with a label or without, and differ between files', async () => {
  const text = '_:x :p [ :q 1 ] , [ :q 2 ] .';
  const ids = async (fileId: string) => (await turtle(text, { fileId })).statements.map(({ subject }) => subject.id);
  const first = await ids('f1');
  expect(await ids('f1')).toEqual(first);
  expect(new Set([...first, ...(await ids('f2'))]).size).toBe(6);
  expect(first).toContain('urn:concord:blank:f1:x');
});

test('faulty lines are told by number and leave the others standing', async () => {
  const good = '<urn:a> <urn:p> "é" .';
  const text = [good, 'junk', good, '<urn:a> <relative> "x" .', `<urn:a> <urn:p${'x'.repeat(2_048)}> "x" .`, good].join(
    '\n',
  );
  const { patches, faults } = await patchesOf(text, 'nt', { piece: 1_000 });
  expect(patches).toHaveLength(3);
  expect(faults.map(({ line }) => line)).toEqual([2, 4, 5]);
});

test('at most 100 new predicates go into one batch', async () => {
  const text = Array.from({ length: 250 }, (_, index) => `<urn:a> <urn:p:${index}> "x" .\n`).join('');
  const { batches } = await patchesOf(text, 'nt');
  expect(batches.map(({ drafts }) => drafts.length)).toEqual([100, 100, 50]);
});

describe('predicates of annotations as plain data', () => {
  const certainty = { predicate: { id: 'urn:concord:certainty' } };
  test('what is said of no statement is a statement, with all else of its subject', async () => {
    const { statements, unasserted } = await turtle(':a c:certainty 0.9 ; :p 1 . :b :p 2 .');
    expect(unasserted).toBe(0);
    expect(statements).toHaveLength(3);
    expect(statements).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ subject: { id: 'urn:e:a' }, ...certainty }),
        expect.objectContaining({ subject: { id: 'urn:e:a' }, predicate: { id: 'urn:e:p' } }),
      ]),
    );
  });

  test('it may be annotated itself', async () => {
    const { statements } = await turtle(':a c:certainty 0.9 {| c:certainty 0.5 |} .');
    expect(statements).toEqual([expect.objectContaining({ ...certainty, certainty: 0.5 })]);
  });

  test('a reification that lacks a part is data', async () => {
    const { statements } = await turtle(':r a rdf:Statement ; rdf:subject :a ; rdf:object :b .');
    expect(statements.map(({ predicate }) => predicate.id).sort()).toEqual(
      ['object', 'subject'].map((name) => type.replace(/type$/, name)),
    );
  });
});

test('a text with a direction keeps it', async () => {
  const { statements } = await turtle(':a :p "مرحبا"@ar--rtl, "hello"@en .');
  expect(statements.map(({ object }) => object)).toEqual([
    { value: 'مرحبا', language: 'ar--rtl' },
    { value: 'hello', language: 'en' },
  ]);
});
