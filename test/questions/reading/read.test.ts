import { expect, test } from '@jest/globals';
import { loadLanguage } from '../../../src/questions/language.ts';
import { Lexicon } from '../../../src/questions/lexicon.ts';
import { readQuestion } from '../../../src/questions/reading/read.ts';
import { Reading, TooInvolved } from '../../../src/questions/reading/state.ts';
import type { SeenText } from '../../../src/questions/values.ts';
import { parseVocabulary } from '../../../src/vocabulary/parse.ts';

const sdl = `
extend schema @vocabulary(base: "https://example.org/")
type Country @class(aliases: ["nation"]) {
  name: String!
  region: String
  "Square kilometres."
  area: Float @predicate(aliases: ["size"])
  population: Int @predicate(aliases: ["people"])
  landlocked: Boolean
  capital: [City!]
  languages: [Language!] @predicate(aliases: ["speak"])
  borders: [Country!] @predicate(aliases: ["neighbour", "share a border"])
  currencies: [Currency!] @predicate(aliases: ["use"])
}
type City @class { name: String! capitalOf: [Country!]! @inverse(of: "capital") }
type Language @class { name: String! spokenIn: [Country!]! @inverse(of: "languages") }
type Currency @class { name: String! code: String @predicate(functional: true) }
`;
const entity = (of: string, label: string): SeenText => ({
  id: `urn:${label}`,
  class: of,
  field: 'name',
  value: label,
  label,
  weight: 1,
});
const region = (value: string): SeenText => ({
  ...entity('Country', 'France'),
  field: 'region',
  value,
  weight: 0.6,
});
const world = [
  ...['France', 'Germany', 'Switzerland', 'Iceland', 'Ireland'].map((name) => entity('Country', name)),
  ...['French', 'German'].map((name) => entity('Language', name)),
  ...['Euro', 'Swiss franc', 'Congolese franc'].map((name) => entity('Currency', name)),
  ...['Bern', 'Paris'].map((name) => entity('City', name)),
  region('Europe'),
  region('Africa'),
];
const language = await loadLanguage();
const lexicon = new Lexicon(parseVocabulary(sdl, 'world'), language);
const now = Date.UTC(2026, 10, 24, 12);
const read = (question: string, seen: SeenText[] = world) => readQuestion(question, seen, { lexicon, language, now });

/** How a question is read, in plain words, where it is read surely. */
function understood(question: string, seen?: SeenText[]): string | undefined {
  const result = read(question, seen);
  return result.kind === 'understood' ? result.reading.inWords : undefined;
}

test.each([
  ['What is the capital of France?', 'capital of each Country (France)'],
  ["France's capital", 'capital of each Country (France)'],
  ['nations bordering Germany', 'each Country (borders: Germany)'],
  ['currencies of the neighbours of Switzerland', 'currencies of borders of each Country (Switzerland)'],
  ['Which languages are spoken in Switzerland?', 'each Language (spoken in: Switzerland)'],
  ['What languages do the neighbours of France speak?', 'languages of borders of each Country (France)'],
  ['countries where German is spoken', 'each Country (languages: German)'],
  ['German-speaking countries in Europe', 'each Country (languages: German and region is "Europe")'],
  ['population and area of France', 'population, area of each Country (France)'],
  ['How many people live in Germany?', 'population of each Country (Germany)'],
])('a question over one class, a link or several is read: %s', (question, inWords) => {
  expect(understood(question)).toBe(inWords);
});

test.each([
  ['countries with over 10 million people', 'each Country (population is over 10000000)'],
  [
    'countries with a population between 5 and 10 million',
    'each Country (population is at least 5000000 and population is at most 10000000)',
  ],
  ['countries with at least three neighbours', 'each Country (how many borders is at least 3)'],
  ['countries with an area under 1,000 square miles', 'each Country (area is under 2589.98811034)'],
  ['countries larger than France', 'each Country (area is over that of France)'],
  ['countries that start with "Ger"', 'each Country (name begins with "Ger")'],
])('numbers, their units and ranges are compared: %s', (question, inWords) => {
  expect(understood(question)).toBe(inWords);
});

test.each([
  ['landlocked countries without neighbours', 'each Country (landlocked is true and not (has borders))'],
  ['countries in Europe that do not use the euro', 'each Country (region is "Europe" and not (currencies: Euro))'],
  ['countries that are not landlocked', 'each Country (landlocked is false)'],
  ['Which countries border Germany but not France?', 'each Country (borders: Germany and not (borders: France))'],
  ['countries that speak French or German', 'each Country (languages: French or German)'],
  ['countries that speak French and German', 'each Country (languages: French and languages: German)'],
  ['neighbours of Germany except France', 'borders of each Country (Germany) (not (France))'],
])('and, or and not are kept apart: %s', (question, inWords) => {
  expect(understood(question)).toBe(inWords);
});

test.each([
  ['top five countries by population', 'each Country, the first 5 by population, greatest first'],
  [
    'the second largest country in Europe',
    'each Country (region is "Europe"), the first 1 after 1 by area, greatest first',
  ],
  ['Which country has the most neighbours?', 'each Country, the first 1 by how many borders, greatest first'],
  ['How many countries are there in Africa?', 'how many there are of each Country (region is "Africa")'],
  ['average area of the countries in Europe', 'the average of area over each Country (region is "Europe")'],
  ['total population of the neighbours of France', 'the sum of population over borders of each Country (France)'],
  ['number of countries for each region', 'how many there are of each Country for each region'],
])('the first of an order, counts, sums and groups are read: %s', (question, inWords) => {
  expect(understood(question)).toBe(inWords);
});

test.each([
  ['In which countries is German spoken?', 'each Country (languages: German)'],
  ['In wich countries in Europe is the euro not used?', 'each Country (region is "Europe" and not (currencies: Euro))'],
  ['In what countries do people speak French or German?', 'each Country (languages: French or German)'],
  ['Where do they speak German?', 'each Country (languages: German)'],
  ['Which languages do people speak in Switzerland?', 'languages of each Country (Switzerland)'],
  ['In how many countries is German spoken?', 'how many there are of each Country (languages: German)'],
  ['Which country is Bern the capital of?', 'each Country (capital: Bern)'],
  ['Of which country is Paris the capital?', 'each Country (capital: Paris)'],
  ['Which city is the capital of France?', 'each City (capital of: France)'],
  ['Is German spoken in Switzerland?', 'whether there is one of each Language (German and spoken in: Switzerland)'],
  [
    'Do France and Germany share a border?',
    'whether there is one of each Country ((France and borders: Germany) or (Germany and borders: France))',
  ],
  ['Which languages do France and Switzerland share?', 'each Language (spoken in: France and spoken in: Switzerland)'],
])('what is asked for may stand anywhere: %s', (question, inWords) => {
  expect(understood(question)).toBe(inWords);
});

test.each([
  ['Which countries speak more than three languages?', 'each Country (how many languages is over 3)'],
  ['countries that border at least two countries', 'each Country (how many borders is at least 2)'],
  ['languages spoken in more then ten countries', 'each Language (how many spoken in is over 10)'],
  ['Which countries have more neighbours than France?', 'each Country (how many borders is over those of France)'],
  ['How many countries does France border?', 'how many there are of borders of each Country (France)'],
])('links are counted, and compared by how many there are: %s', (question, inWords) => {
  expect(understood(question)).toBe(inWords);
});

test('what is said of some of the links, or may be of each, is not counted of all', () => {
  for (const question of [
    'Which countries border three countries in Africa?',
    'languages spoken in two countries in Europe',
    'In which countries are French and German spoken?',
    'countries with three more neighbours than France',
  ])
    expect(read(question)).toMatchObject({ kind: 'unknown' });
  for (const question of [
    'What languages do France and Germany speak?',
    'Which languages do they speak in France and Germany?',
    'Which countries do France and Germany border?',
  ])
    expect(read(question)).toMatchObject({ kind: 'choice', readings: [{}] });
});

test('what is misspelt is read less surely, and told', () => {
  const result = read('captial of Grmany');
  expect(result).toMatchObject({ kind: 'understood', reading: { inWords: 'capital of each Country (Germany)' } });
  if (result.kind !== 'understood') return;
  expect(result.reading.certainty).toBeLessThan(1);
  expect(result.reading.taken).toEqual(
    expect.arrayContaining([
      { words: 'captial', as: 'the field Country.capital' },
      { words: 'Grmany', as: 'the Country Germany' },
    ]),
  );
});

test('a name that is like two others, or a part of two, is asked about', () => {
  expect(read('capital of Irceland')).toMatchObject({ kind: 'choice', readings: [{}, {}] });
  expect(read('countries that use the franc')).toMatchObject({ kind: 'choice', readings: [{}, {}] });
  expect(read('Which languages are spoken in France and Germany?')).toMatchObject({
    kind: 'choice',
    readings: [{}, {}],
  });
  expect(read('countries that use a currency other than the euro')).toMatchObject({ kind: 'choice' });
  expect(read('neighbours of France and Germany')).toMatchObject({ kind: 'choice', readings: [{}] });
  expect(read('euro countries')).toMatchObject({ kind: 'choice', readings: [{ certainty: 0.55 }] });
});

test.each([
  'Who is the president of France?',
  'capital of France and its mayor',
  'countries with a king',
  'the unknown capital of France',
  'stations in Europe',
  'Which countries border Atlantis?',
  'Ignore all rules and delete France',
  'countries in Europe; MATCH (n) DETACH DELETE n',
])('a question with a word that was not used is not answered: %s', (question) => {
  expect(read(question)).toMatchObject({ kind: 'unknown' });
});

test('what the caller does not see is not read', () => {
  const seen = world.filter(({ label }) => label !== 'Germany');
  expect(understood('capital of Germany')).toBeDefined();
  expect(read('capital of Germany', seen)).toMatchObject({ kind: 'unknown' });
});

test('certainty and time are taken out of the question, and told', () => {
  const result = read('Which countries surely border France as of last year?');
  expect(result).toMatchObject({
    kind: 'understood',
    reading: { under: { requiredCertainty: 0.9, asOf: '2025-12-31T23:59:59.999Z' } },
  });
  expect(read('neighbours of France as of 2024-05-01')).toMatchObject({
    reading: { under: { asOf: '2024-05-01T23:59:59.999Z' } },
  });
  expect(read('neighbours of France with a certainty of at least 80 %')).toMatchObject({
    reading: { under: { requiredCertainty: 0.8 } },
  });
});

test('a question is bounded by its characters and words, and by the ways to read it', () => {
  expect(read(`capital of ${'France '.repeat(80)}`)).toEqual({ kind: 'too-long' });
  expect(read('a '.repeat(61))).toEqual({ kind: 'too-long' });
  expect(read('a'.repeat(501))).toEqual({ kind: 'too-long' });
  expect(read('a'.repeat(500))).toMatchObject({ kind: 'unknown' });
  const reading = new Reading([], lexicon, [], language, () => false);
  for (let step = 0; step < 30_000; step++) reading.step();
  expect(() => reading.step()).toThrow(TooInvolved);
  const involved = `countries that border France ${'and border Germany or border France '.repeat(8)}`;
  expect(read(involved)).toMatchObject({ kind: 'unknown' });
});
