import { add, literal, type ObjectInput, type Patch } from '../src/client/index.ts';
import { type Country, source } from './countries.ts';
import { city, country, currency, type Entity, language, predicates } from './names.ts';
import { usual } from './usual.ts';

/** Everything that the data says about the countries and about their languages and currencies, each statement once. */
export function patchesOf(countries: Country[]): Patch[] {
  return [
    ...countries.flatMap(aboutCountry),
    ...usual(countries.flatMap(({ languages }) => Object.entries(languages))).flatMap(([code, name]) =>
      aboutLanguage(code, name),
    ),
    ...usual(countries.flatMap(({ currencies }) => Object.entries(currencies))).flatMap(([code, money]) =>
      aboutCurrency(code, money),
    ),
  ];
}

function aboutCountry(data: Country): Patch[] {
  const { cca3: code, cca2: alpha2, name } = data;
  const [latitude, longitude] = data.latlng;
  const about = country(code);
  const text = (predicate: string, value: string | undefined, tag?: string) =>
    value === undefined ? [] : [said(about, predicate, literal(value, { language: tag }))];
  const number = (predicate: string, value: number | undefined) =>
    value === undefined ? [] : [said(about, predicate, literal(value, { type: 'xsd:double' }))];
  const truth = (predicate: string, value: boolean | null) => (value === null ? [] : [said(about, predicate, value)]);
  const alternatives = data.altSpellings.filter((spelling) => spelling !== alpha2);
  return [
    ...text(predicates.name, name.common, 'en'),
    ...text(predicates.officialName, name.official, 'en'),
    ...Object.entries(name.native).flatMap(([language, native]) =>
      text(predicates.nativeName, native.common, languageTag(language)),
    ),
    ...alternatives.flatMap((spelling) => text(predicates.alternateName, spelling)),
    ...text(predicates.demonym, data.demonyms.eng?.m, 'en'),
    ...text(predicates.code, code),
    ...text(predicates.alpha2, alpha2),
    ...text(predicates.region, data.region),
    ...text(predicates.subregion, data.subregion),
    ...number(predicates.area, data.area),
    ...number(predicates.latitude, latitude),
    ...number(predicates.longitude, longitude),
    ...truth(predicates.landlocked, data.landlocked),
    ...truth(predicates.independent, data.independent),
    ...data.capital.flatMap((capital) => [
      said(about, predicates.capital, city(code, capital)),
      said(city(code, capital), predicates.name, english(capital)),
    ]),
    ...Object.keys(data.languages).map((spoken) => said(about, predicates.language, language(spoken))),
    ...Object.keys(data.currencies).map((money) => said(about, predicates.currency, currency(money))),
    ...data.borders.map((neighbour) => said(about, predicates.borders, country(neighbour))),
  ];
}

function aboutLanguage(code: string, name: string): Patch[] {
  const about = language(code);
  return [said(about, predicates.name, english(name)), said(about, predicates.code, code)];
}

function aboutCurrency(code: string, { name, symbol }: Country['currencies'][string]): Patch[] {
  const about = currency(code);
  return [
    said(about, predicates.name, english(name)),
    said(about, predicates.code, code),
    ...(symbol === undefined ? [] : [said(about, predicates.symbol, symbol)]),
  ];
}

function said(subject: Entity, predicate: string, object: ObjectInput): Patch {
  return add(subject, predicate, object, { provenance: source });
}

function english(text: string): ObjectInput {
  return literal(text, { language: 'en' });
}

/** ISO 639-3 → BCP 47, which takes the code of two letters where there is one: `deu` → `de`, `gsw` → `gsw`. */
function languageTag(code: string): string {
  const [canonical = code] = Intl.getCanonicalLocales(code);
  return canonical.length === 2 ? canonical : code;
}
