/** The IRIs of the demo: those of its vocabulary (world.graphql) and those of the things that it speaks about. */

const schema = 'https://schema.org/';
const geo = 'https://example.org/world#';
const world = 'https://example.org/world';

export const classes = {
  country: `${schema}Country`,
  city: `${schema}City`,
  language: `${schema}Language`,
  currency: `${geo}Currency`,
} as const;

export const predicates = {
  name: `${schema}name`,
  officialName: `${geo}officialName`,
  nativeName: `${geo}nativeName`,
  alternateName: `${schema}alternateName`,
  demonym: `${geo}demonym`,
  code: `${geo}code`,
  alpha2: `${geo}alpha2`,
  region: `${geo}region`,
  subregion: `${geo}subregion`,
  area: `${geo}area`,
  population: `${geo}population`,
  landlocked: `${geo}landlocked`,
  independent: `${geo}independent`,
  latitude: `${schema}latitude`,
  longitude: `${schema}longitude`,
  capital: `${geo}capital`,
  language: `${geo}language`,
  currency: `${geo}currency`,
  borders: `${geo}borders`,
  symbol: `${geo}symbol`,
} as const;

/** An entity as a subject or an object, with its class. */
export interface Entity {
  id: string;
  type: string;
}

/** @param code ISO 3166-1 alpha-3: `DEU` */
export function country(code: string): Entity {
  return { id: `${world}/country/${code}`, type: classes.country };
}

/** @param countryCode the country in which it is; the same name in another country is another city */
export function city(countryCode: string, name: string): Entity {
  return { id: `${world}/city/${countryCode}/${slug(name)}`, type: classes.city };
}

/** @param code ISO 639-3: `deu` */
export function language(code: string): Entity {
  return { id: `${world}/language/${code}`, type: classes.language };
}

/** @param code ISO 4217: `EUR` */
export function currency(code: string): Entity {
  return { id: `${world}/currency/${code}`, type: classes.currency };
}

/** `Saint-Denis` → `saint-denis`, `Nuku'alofa` → `nuku-alofa`, `Reykjavík` → `reykjavik` */
function slug(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join('-');
}
