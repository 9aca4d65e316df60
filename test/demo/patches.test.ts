import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { readCountries, source } from '../../demo/countries.ts';
import { classes, country, predicates } from '../../demo/names.ts';
import { patchesOf } from '../../demo/patches.ts';
import { statementIdOf } from '../../src/graph/statements/statement.ts';
import { patch } from '../../src/knowledge/patch.ts';

const patches = patchesOf(readCountries());

const saidOf = (code: string, predicate: string) =>
  patches
    .map(({ statement }) => statement)
    .filter(({ subject, predicate: { id } }) => subject.id === country(code).id && id === predicate)
    .map(({ object }) => ('id' in object ? object.id : object.value));

function subjectsOf(type: string): Set<string> {
  return new Set(
    patches
      .map(({ statement }) => statement.subject)
      .filter((s) => s.type === type)
      .map((s) => s.id),
  );
}

describe('the countries as patches', () => {
  it('are all 250 countries in more than 6,000 statements', () => {
    expect(subjectsOf(classes.country).size).toBe(250);
    expect(patches.length).toBeGreaterThan(6_000);
  });

  it('are patches that the service accepts', () => {
    const faults = patches.flatMap((each) => patch.safeParse(each).error?.issues ?? []);
    expect(faults).toEqual([]);
  });

  it('state nothing twice', () => {
    const ids = patches.map((each) => statementIdOf('default', patch.parse(each).statement));
    expect(new Set(ids).size).toBe(patches.length);
  });

  it('come with the version and the date of the package that is installed', () => {
    const { version } = createRequire(import.meta.url)('world-countries/package.json') as { version: string };
    expect(source.version).toBe(version);
    expect(patches.every(({ statement }) => statement.provenance === source)).toBe(true);
  });

  it('name every language, currency and city that a country points at', () => {
    const named = new Set(
      patches
        .map(({ statement }) => statement)
        .filter(({ predicate }) => predicate.id === predicates.name)
        .map(({ subject }) => subject.id),
    );
    const pointedAt = patches.flatMap(({ statement }) => ('id' in statement.object ? statement.object.id : []));
    expect(pointedAt.filter((id) => !named.has(id))).toEqual([]);
  });

  it('say nothing where the data knows nothing', () => {
    expect(saidOf('ATA', predicates.name)).toEqual(['Antarctica']);
    for (const predicate of [predicates.capital, predicates.currency, predicates.language]) {
      expect(saidOf('ATA', predicate)).toEqual([]);
    }
    expect(saidOf('UNK', predicates.independent)).toEqual([]);
    expect(saidOf('SJM', predicates.area)).toEqual([]);
  });

  it('tag native names with languages of BCP 47', () => {
    const natives = patches
      .map(({ statement }) => statement)
      .filter(({ predicate, subject }) => predicate.id === predicates.nativeName && subject.id === country('CHE').id)
      .map(({ object }) => 'value' in object && [object.language, object.value]);
    expect(natives).toEqual([
      ['fr', 'Suisse'],
      ['gsw', 'Schweiz'],
      ['it', 'Svizzera'],
      ['rm', 'Svizra'],
    ]);
  });

  it('give a language or a currency the one name that the data uses most', () => {
    const namesOfKrone = patches
      .map(({ statement }) => statement)
      .filter(({ subject, predicate }) => /currency\/DKK$/.test(subject.id) && predicate.id === predicates.name);
    expect(namesOfKrone.map(({ object }) => 'value' in object && object.value)).toEqual(['Danish krone']);
  });
});
