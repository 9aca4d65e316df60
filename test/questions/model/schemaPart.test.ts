import { expect, test } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import type { About } from '../../../src/questions/answering/asker.ts';
import { loadLanguage } from '../../../src/questions/language.ts';
import { Lexicon } from '../../../src/questions/lexicon.ts';
import { AnsweredQuestions } from '../../../src/questions/model/answeredQuestions.ts';
import { longestSchema, schemaPart } from '../../../src/questions/model/schemaPart.ts';
import { estimated, tokensOf as tokensUsed } from '../../../src/questions/model/tokens.ts';
import { faultOfTypes } from '../../../src/questions/model/typesAsked.ts';
import { tokensOf } from '../../../src/questions/words.ts';
import { parseVocabulary } from '../../../src/vocabulary/parse.ts';

const english = await loadLanguage();
const consonants = 'bcdfghklmnprstvz';
/** A name for each number, unlike the others. */
const nameOf = (n: number) =>
  `${consonants[n % 16]?.toUpperCase()}o${consonants[Math.floor(n / 16) % 16]}a${consonants[Math.floor(n / 256) % 16]}ium`;

/** A vocabulary of many classes, each with a link to the next, and one that is long; and its schema. */
function world(count: number) {
  const names = Array.from({ length: count }, (_, n) => nameOf(n));
  const sdl = names
    .map((name, n) => `type ${name} @class { name: String next: [${names[(n + 1) % count]}!]! weight: Float }`)
    .join('\n');
  const long = `type Ledger @class { ${Array.from({ length: 500 }, (_, n) => `entry${n}: String`).join(' ')} turnover: Float }`;
  const vocabulary = parseVocabulary(
    `extend schema @vocabulary(base: "https://example.org/")\n${sdl}\n${long}`,
    'world',
  );
  const plain = `${sdl}\n${long}`.replaceAll(' @class', '').replaceAll('{', '{ id: ID! ');
  const all = [...names, 'Ledger'];
  const roots = all.map((name) => `${name.toLowerCase()}s(where: ${name}Where): [${name}!]!`).join(' ');
  const wheres = all.map((name) => `input ${name}Where { id: ID }`).join('\n');
  const schema = buildSchema(`type Query { ${roots} }\n${plain}\n${wheres}`);
  const lexicon = new Lexicon(vocabulary, english);
  const about = (question: string): About => ({
    ...{ tokens: tokensOf(question, english), lexicon, under: {}, values: [], sight: '' },
  });
  return { schema, about };
}

test('of many classes the model is shown those that a question is about, and what they link to, within a bound', () => {
  const { schema, about } = world(300);
  const text = schemaPart(schema, about(`Which ${nameOf(200)} has the most weight?`));
  expect(text.length).toBeLessThanOrEqual(longestSchema);
  expect(text.indexOf(`type ${nameOf(200)} {`)).toBeGreaterThan(0);
  expect(text.indexOf(`type ${nameOf(200)} {`)).toBeLessThan(150);
  expect(text).toContain(`${nameOf(200).toLowerCase()}s`);
  // The one that it is about comes whole, however many others have the same field.
  expect(text).toContain(`next: [${nameOf(201)}!]!`);
  const small = schemaPart(schema, about(`Which ${nameOf(200)} is next?`), 500);
  expect(small).toContain(`type ${nameOf(200)} {`);
  expect(small.length).toBeLessThanOrEqual(500);
});

test('a class that is too long itself keeps the fields that are meant; a vocabulary that fits is shown whole', () => {
  const { schema, about } = world(5);
  const text = schemaPart(schema, about('What is the turnover of the ledger?'), 1_000);
  expect(text).toContain('turnover: Float');
  expect(text.length).toBeLessThanOrEqual(1_000);
  const whole = schemaPart(schema, about('nothing of it'));
  for (const name of ['Ledger', ...Array.from({ length: 5 }, (_, n) => nameOf(n))])
    expect(whole).toContain(`type ${name} {`);
});

test('the ten likest of the questions of a caller are told, and none of others', () => {
  const answered = new AnsweredQuestions();
  const keep = (question: string, sight = 'one') =>
    answered.keep(sight, { question, query: `{ ${question} }` }, tokensOf(question, english));
  for (let n = 0; n < 15; n++) keep(`wine number ${n} of France`);
  keep('The wine of France');
  keep('The wine of France', 'two');
  keep('rain in Spain');
  const similar = (question: string, sight = 'one') =>
    answered.similar(sight, tokensOf(question, english)).map((each) => each.question);
  expect(similar('wines of France')).toHaveLength(10);
  expect(similar('wines of France')[0]).toBe('The wine of France');
  expect(similar('wines of France', 'two')).toEqual(['The wine of France']);
  expect(similar('the of in', 'one')).toEqual([]);
  expect(similar('wines of France', 'three')).toEqual([]);
});

test('tokens that an endpoint claims are believed as far as they can be', () => {
  const bytes = { sent: 400, said: 80 };
  expect(tokensUsed({ prompt_tokens: 90, completion_tokens: 7 }, bytes)).toEqual({ input: 90, output: 7 });
  expect(tokensUsed({ prompt_tokens: 1e12, completion_tokens: 1e12 }, bytes)).toEqual({
    input: 2_400,
    output: 200_000,
  });
  for (const usage of [undefined, { prompt_tokens: -1, completion_tokens: 2 }, { prompt_tokens: 1.5 }, 'many'])
    expect(tokensUsed(usage, bytes)).toEqual({ input: estimated(400), output: estimated(80) });
});

test('a query answers with what is asked for, or it is said what is missing', () => {
  const { schema, about } = world(3);
  const [one, two] = [nameOf(0), nameOf(1)];
  const fault = (question: string, query: string) => faultOfTypes(schema, parse(query), question, about(question));
  const list = `{ ${one.toLowerCase()}s { name } }`;
  expect(fault(`Which ${one} is heavy?`, list)).toBeUndefined();
  expect(fault(`Which ${two} is heavy?`, list)).toContain(`asks for ${two}`);
  expect(fault(`Which ${two} is heavy?`, `{ ${one.toLowerCase()}s { next { name } } }`)).toBeUndefined();
  expect(fault('How many are there?', list)).toContain('asks for a number');
  expect(fault('What is the average of all?', `{ ${one.toLowerCase()}s { weight } }`)).toBeUndefined();
  expect(fault('Is it so?', '{ __typename }')).toContain('nothing of the graph');
});
