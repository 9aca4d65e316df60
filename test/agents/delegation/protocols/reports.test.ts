import { Part } from '@a2a-js/sdk';
import { expect, test } from '@jest/globals';
import { quote } from '../../../../src/agents/delegation/protocols/failures.ts';
import { shaped } from '../../../../src/agents/delegation/protocols/jsonRpc.ts';
import { reportOf } from '../../../../src/agents/delegation/protocols/oneReports.ts';
import { saidIn, shapes } from '../../../../src/agents/delegation/protocols/reports.ts';

const said = (...parts: object[]) => saidIn(shaped(shapes.artifact.shape.parts, parts.map(Part.fromJSON)));
const texts = (...lengths: number[]) => lengths.map((length) => ({ data: 'x'.repeat(length) }));
const heard = (type: string, content: object) =>
  reportOf('c', [{ content: JSON.stringify({ type, content }), isOlder: false }]).status;

test('of what a status says 10,000 characters are kept, and 100,000 of its data in 20 parts', () => {
  expect(said({ text: 'x'.repeat(20_000) }).text).toHaveLength(10_000);
  expect(said(...texts(99_998)).data).toHaveLength(1);
  expect(said(...texts(99_999)).data).toHaveLength(0);
  expect(said(...texts(60_000, 60_000, 30_000)).data.map((each) => String(each).length)).toEqual([60_000, 30_000]);
  expect(said(...texts(...Array.from({ length: 30 }, () => 1))).data).toHaveLength(20);
  expect(heard('query', { question: 'Who?', data: 'x'.repeat(200_000) })).toMatchObject({ text: 'Who?', data: [] });
});

test('what an agent says has nothing that a terminal obeys or that turns the direction of a text', () => {
  const odd = 'a\u001b[31mb\u009bc\u202ed\u2066e\nf\tg';
  const plain = 'a[31mbcde\nf\tg';
  expect([said({ text: odd }).text, quote(odd)]).toEqual([plain, plain]);
  expect(heard('query', { question: odd })).toMatchObject({ text: plain });
  expect(heard('status_update', { message: odd })).toMatchObject({ text: plain });
});
