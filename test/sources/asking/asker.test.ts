import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { questionsIn } from '../../questions/figures.ts';
import { holds } from '../../questions/source/holds.ts';
import { bookshop } from './bookshop.ts';

let shop: Awaited<ReturnType<typeof bookshop>>;
beforeAll(async () => {
  shop = await bookshop();
});
afterAll(() => shop.close());

const answered = (question: string) => shop.answered(question);

test('no question of the set is answered wrong, and of what can be answered three in four are', async () => {
  const wrong: string[] = [];
  let right = 0;
  let answerable = 0;
  for (const { question, query } of questionsIn(readFileSync('test/questions/source/questions.txt', 'utf8'))) {
    const { read, table } = await answered(question);
    const isAnswerable = query !== '~' && query !== '-';
    if (isAnswerable) answerable += 1;
    if (query === '~') expect([question, read.kind]).toEqual([question, 'choice']);
    if (!table) continue;
    const { rows } = isAnswerable
      ? await shop.database.query<unknown[]>(query, [], { rowMode: 'array' })
      : { rows: [] };
    if (isAnswerable && holds(table, rows)) right += 1;
    else wrong.push(question);
  }
  expect(wrong).toEqual([]);
  expect(right / answerable).toBeGreaterThan(0.75);
});

test('every value of a question is a parameter, and no part of the text', async () => {
  const { statement } = await answered('books by Ada Brandt with more than 123 pages published before 2011');
  expect(statement?.sql).not.toMatch(/Ada|Brandt|123|2011/);
  expect(statement?.values).toEqual(['1', 123, '2011-01-01']);
  const { statement: quoted } = await answered(`books whose title contains "'; DROP TABLE shop.books; --"`);
  expect(quoted?.sql).not.toContain('DROP');
  expect(quoted?.values).toEqual(["%'; drop table shop.books; --%"]);
});

test('a pattern in a question is a text as others', async () => {
  const { table } = await answered('books whose title contains "%"');
  expect(table?.rows).toEqual([]);
});

test('a time of knowing and a certainty are not left aside: a source has neither', async () => {
  expect((await answered('customers in Paris as of last year')).read.kind).toBe('under');
  expect((await answered('customers that surely live in Paris')).read.kind).toBe('under');
});

test('rows are meant by a number behind what they are called, where there is such a row', async () => {
  expect((await answered('What is the email of customer 7?')).table?.rows).toEqual([
    [7, 'Greta Dubois', 'greta.dubois@example.org'],
  ]);
  expect((await answered('What is the email of customer 700?')).read.kind).toBe('unknown');
});
