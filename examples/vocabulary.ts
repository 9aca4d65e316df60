// Made by `concord types` from the vocabulary; made anew rather than changed.
import type * as Concord from 'concord-client';

/** A chemical element. <https://example.org/examples#Element> */
export interface Element {
  id: string;
  /** IRI of its class. */
  type: string | null;
  /** As IUPAC writes it. <https://example.org/examples#symbol> */
  symbol: string | null;
  /** <https://example.org/examples#name> */
  name: string | null;
  /** <https://example.org/examples#number> */
  number: number | null;
  /** Kelvin. <https://example.org/examples#meltingPoint> */
  meltingPoint: number | null;
  /** <https://example.org/examples#discovered> */
  discovered: Date | null;
  /** <https://example.org/examples#checkedAt> */
  checkedAt: Date | null;
  /** <https://example.org/examples#radioactive> */
  radioactive: boolean | null;
  /** <https://example.org/examples#aliases> */
  aliases: string[] | null;
  /** <https://example.org/examples#block> */
  block: Block | null;
  /** <https://example.org/examples#discoveredBy> */
  discoveredBy: Person[];
}

/** What can be stated of Element; null takes it back. */
export interface ElementFields {
  /** As IUPAC writes it. <https://example.org/examples#symbol> */
  symbol?: string | Concord.Text | null;
  /** <https://example.org/examples#name> */
  name?: string | Concord.Text | null;
  /** <https://example.org/examples#number> */
  number?: number | null;
  /** Kelvin. <https://example.org/examples#meltingPoint> */
  meltingPoint?: number | null;
  /** <https://example.org/examples#discovered> */
  discovered?: Date | string | null;
  /** <https://example.org/examples#checkedAt> */
  checkedAt?: Date | string | null;
  /** <https://example.org/examples#radioactive> */
  radioactive?: boolean | null;
  /** <https://example.org/examples#aliases> */
  aliases?: Concord.Many<string | Concord.Text> | null;
  /** <https://example.org/examples#block> */
  block?: Concord.Reference<BlockKey> | null;
  /** <https://example.org/examples#discoveredBy> */
  discoveredBy?: Concord.Many<Concord.Reference<never>> | null;
}

/** What Element is known by. */
export interface ElementKey {
  symbol: string;
}

/** Elements whose outermost electrons fill orbitals of one kind. <https://example.org/examples#Block> */
export interface Block {
  id: string;
  /** IRI of its class. */
  type: string | null;
  /** <https://example.org/examples#letter> */
  letter: string | null;
  /** The other end of Element.block. */
  elements: Element[];
}

/** What can be stated of Block; null takes it back. */
export interface BlockFields {
  /** <https://example.org/examples#letter> */
  letter?: string | null;
}

/** What Block is known by. */
export interface BlockKey {
  letter: string;
}

/** Person. <https://example.org/examples#Person> */
export interface Person {
  id: string;
  /** IRI of its class. */
  type: string | null;
  /** <https://example.org/examples#name> */
  name: string | null;
  /** The other end of Element.discoveredBy. */
  discoveries: Element[];
}

/** What can be stated of Person; null takes it back. */
export interface PersonFields {
  /** <https://example.org/examples#name> */
  name?: string | Concord.Text | null;
}

/** Airport. <https://example.org/examples#Airport> */
export interface Airport {
  id: string;
  /** IRI of its class. */
  type: string | null;
  /** <https://example.org/examples#iata> */
  iata: string | null;
  /** <https://example.org/examples#name> */
  name: string | null;
  /** Metres above the sea. <https://example.org/examples#elevation> */
  elevation: number | null;
  /** <https://example.org/examples#latitude> */
  latitude: number | null;
  /** <https://example.org/examples#longitude> */
  longitude: number | null;
  /** <https://example.org/examples#opened> */
  opened: Date | null;
  /** <https://example.org/examples#country> */
  country: Country | null;
  /** <https://example.org/examples#flightsTo> */
  flightsTo: Airport[];
  /** The other end of Airport.flightsTo. */
  flightsFrom: Airport[];
}

/** What can be stated of Airport; null takes it back. */
export interface AirportFields {
  /** <https://example.org/examples#iata> */
  iata?: string | Concord.Text | null;
  /** <https://example.org/examples#name> */
  name?: string | Concord.Text | null;
  /** Metres above the sea. <https://example.org/examples#elevation> */
  elevation?: number | null;
  /** <https://example.org/examples#latitude> */
  latitude?: number | null;
  /** <https://example.org/examples#longitude> */
  longitude?: number | null;
  /** <https://example.org/examples#opened> */
  opened?: Date | string | null;
  /** <https://example.org/examples#country> */
  country?: Concord.Reference<CountryKey> | null;
  /** <https://example.org/examples#flightsTo> */
  flightsTo?: Concord.Many<Concord.Reference<AirportKey>> | null;
}

/** What Airport is known by. */
export interface AirportKey {
  iata: string;
}

/** Country. <https://example.org/examples#Country> */
export interface Country {
  id: string;
  /** IRI of its class. */
  type: string | null;
  /** ISO 3166-1 alpha-2. <https://example.org/examples#code> */
  code: string | null;
  /** <https://example.org/examples#name> */
  name: string | null;
  /** The other end of Airport.country. */
  airports: Airport[];
}

/** What can be stated of Country; null takes it back. */
export interface CountryFields {
  /** ISO 3166-1 alpha-2. <https://example.org/examples#code> */
  code?: string | null;
  /** <https://example.org/examples#name> */
  name?: string | Concord.Text | null;
}

/** What Country is known by. */
export interface CountryKey {
  code: string;
}

/** Book. <https://example.org/examples#Book> */
export interface Book {
  id: string;
  /** IRI of its class. */
  type: string | null;
  /** <https://example.org/examples#isbn> */
  isbn: string | null;
  /** <https://example.org/examples#title> */
  title: string | null;
  /** <https://example.org/examples#published> */
  published: Date | null;
  /** <https://example.org/examples#authors> */
  authors: Author[];
}

/** What can be stated of Book; null takes it back. */
export interface BookFields {
  /** <https://example.org/examples#isbn> */
  isbn?: string | null;
  /** <https://example.org/examples#title> */
  title?: string | Concord.Text | null;
  /** <https://example.org/examples#published> */
  published?: Date | string | null;
  /** <https://example.org/examples#authors> */
  authors?: Concord.Many<Concord.Reference<AuthorKey>> | null;
}

/** What Book is known by. */
export interface BookKey {
  isbn: string;
}

/** Author. <https://example.org/examples#Author> */
export interface Author {
  id: string;
  /** IRI of its class. */
  type: string | null;
  /** <https://example.org/examples#name> */
  name: string | null;
  /** The other end of Book.authors. */
  books: Book[];
}

/** What can be stated of Author; null takes it back. */
export interface AuthorFields {
  /** <https://example.org/examples#name> */
  name?: string | Concord.Text | null;
}

/** What Author is known by. */
export interface AuthorKey {
  name: string;
}

/** The types of each class. */
export interface Classes {
  Element: { row: Element; fields: ElementFields; key: ElementKey; plural: 'elements' };
  Block: { row: Block; fields: BlockFields; key: BlockKey; plural: 'blocks' };
  Person: { row: Person; fields: PersonFields; key: never; plural: 'people' };
  Airport: { row: Airport; fields: AirportFields; key: AirportKey; plural: 'airports' };
  Country: { row: Country; fields: CountryFields; key: CountryKey; plural: 'countries' };
  Book: { row: Book; fields: BookFields; key: BookKey; plural: 'books' };
  Author: { row: Author; fields: AuthorFields; key: AuthorKey; plural: 'authors' };
}

/** For `typed(client, vocabulary)`. */
export const vocabulary: Concord.Vocabulary<Classes> = {
  classes: {
    Element: {
      iri: 'https://example.org/examples#Element',
      plural: 'elements',
      key: ['symbol'],
      fields: {
        symbol: { scalar: 'String', indexed: true },
        name: { scalar: 'String' },
        number: { scalar: 'Int', indexed: true },
        meltingPoint: { scalar: 'Float' },
        discovered: { scalar: 'Date' },
        checkedAt: { scalar: 'DateTime' },
        radioactive: { scalar: 'Boolean' },
        aliases: { scalar: 'String', list: true },
        block: { class: 'Block', functional: true },
        discoveredBy: { class: 'Person', list: true },
      },
    },
    Block: {
      iri: 'https://example.org/examples#Block',
      plural: 'blocks',
      key: ['letter'],
      fields: {
        letter: { scalar: 'ID' },
        elements: { class: 'Element', list: true, inverse: true },
      },
    },
    Person: {
      iri: 'https://example.org/examples#Person',
      plural: 'people',
      fields: {
        name: { scalar: 'String' },
        discoveries: { class: 'Element', list: true, inverse: true },
      },
    },
    Airport: {
      iri: 'https://example.org/examples#Airport',
      plural: 'airports',
      key: ['iata'],
      fields: {
        iata: { scalar: 'String', indexed: true },
        name: { scalar: 'String' },
        elevation: { scalar: 'Int', indexed: true },
        latitude: { scalar: 'Float' },
        longitude: { scalar: 'Float' },
        opened: { scalar: 'Date' },
        country: { class: 'Country', functional: true },
        flightsTo: { class: 'Airport', list: true },
        flightsFrom: { class: 'Airport', list: true, inverse: true },
      },
    },
    Country: {
      iri: 'https://example.org/examples#Country',
      plural: 'countries',
      key: ['code'],
      fields: {
        code: { scalar: 'ID' },
        name: { scalar: 'String' },
        airports: { class: 'Airport', list: true, inverse: true },
      },
    },
    Book: {
      iri: 'https://example.org/examples#Book',
      plural: 'books',
      key: ['isbn'],
      fields: {
        isbn: { scalar: 'ID' },
        title: { scalar: 'String' },
        published: { scalar: 'Date' },
        authors: { class: 'Author', list: true },
      },
    },
    Author: {
      iri: 'https://example.org/examples#Author',
      plural: 'authors',
      key: ['name'],
      fields: {
        name: { scalar: 'String' },
        books: { class: 'Book', list: true, inverse: true },
      },
    },
  },
};
