/** What somebody asks of `explore`, and what must be among the first five of its kind. */
export interface Question {
  kind: (typeof kinds)[number];
  text: string;
  /**
   * All of these: `country/FRA` is an entity by the end of its id, `class Currency` a class, `predicate capital` a
   * predicate.
   */
  all?: string[];
  /** One of these at least. */
  any?: string[];
}

export const kinds = ['misspelt', 'sentence', 'phrase', 'short', 'vocabulary', 'several', 'tongue'] as const;

/** Written before the ranking that they measure. */
export const questions: Question[] = [
  { kind: 'misspelt', text: 'capital of Frnace', all: ['country/FRA', 'predicate capital'] },
  { kind: 'misspelt', text: 'Switserland', all: ['country/CHE'] },
  { kind: 'misspelt', text: 'Kyrgystan', all: ['country/KGZ'] },
  { kind: 'misspelt', text: 'Phillipines', all: ['country/PHL'] },
  { kind: 'misspelt', text: 'Liechtenstien', all: ['country/LIE'] },
  { kind: 'misspelt', text: 'Eqypt', all: ['country/EGY'] },
  { kind: 'misspelt', text: 'Ouagadugu', all: ['city/BFA/ouagadougou'] },
  { kind: 'misspelt', text: 'Molybdenium', all: ['element/Mo'] },
  { kind: 'misspelt', text: 'currency of Azerbeijan', all: ['country/AZE', 'predicate currencies'] },
  { kind: 'misspelt', text: 'Heatrow airport', all: ['airport/LHR', 'class Airport'] },
  { kind: 'misspelt', text: 'Sao Tome', any: ['country/STP', 'city/STP/sao-tome'] },
  { kind: 'misspelt', text: 'Unted States', all: ['country/USA'] },
  { kind: 'sentence', text: 'the capital of Japan', all: ['country/JPN', 'predicate capital'] },
  { kind: 'sentence', text: 'what is the currency of Norway', all: ['country/NOR', 'predicate currencies'] },
  { kind: 'sentence', text: 'languages spoken in Belgium', all: ['country/BEL', 'predicate languages'] },
  { kind: 'sentence', text: 'which countries border Austria', all: ['country/AUT', 'predicate borders'] },
  { kind: 'sentence', text: 'who lives on the Isle of Man', all: ['country/IMN'] },
  { kind: 'sentence', text: 'where is the island of Saint Helena', all: ['country/SHN'] },
  { kind: 'sentence', text: 'the airport of Frankfurt', all: ['airport/FRA'] },
  { kind: 'sentence', text: 'is there any gold in it', all: ['element/Au'] },
  { kind: 'sentence', text: 'the symbol for tungsten', all: ['element/W', 'predicate symbol'] },
  { kind: 'sentence', text: 'what are the people of Niger called', all: ['country/NER', 'predicate demonym'] },
  { kind: 'sentence', text: 'how large is the area of Chad', all: ['country/TCD', 'predicate area'] },
  { kind: 'sentence', text: 'at which temperature does iron melt', all: ['element/Fe'] },
  { kind: 'phrase', text: 'Republic of Korea', all: ['country/KOR'] },
  { kind: 'phrase', text: 'Democratic Republic of the Congo', all: ['country/COD'] },
  { kind: 'phrase', text: 'United States of America', all: ['country/USA'] },
  { kind: 'phrase', text: 'New Guinea', all: ['country/PNG'] },
  { kind: 'phrase', text: 'Guinea', all: ['country/GIN'] },
  { kind: 'phrase', text: 'Dominica', all: ['country/DMA'] },
  { kind: 'phrase', text: 'Congo', all: ['country/COD', 'country/COG'] },
  { kind: 'phrase', text: 'South Georgia and the South Sandwich Islands', all: ['country/SGS'] },
  { kind: 'phrase', text: 'United Arab Emirates dirham', all: ['currency/AED'] },
  { kind: 'phrase', text: 'Holy See', all: ['country/VAT'] },
  { kind: 'phrase', text: 'John F. Kennedy airport', all: ['airport/JFK'] },
  { kind: 'short', text: 'CHE', all: ['country/CHE'] },
  { kind: 'short', text: 'UAE', all: ['country/ARE'] },
  { kind: 'short', text: 'USD', all: ['currency/USD'] },
  { kind: 'short', text: 'DRC', all: ['country/COD'] },
  { kind: 'short', text: 'Fe', all: ['element/Fe'] },
  { kind: 'short', text: 'IT', all: ['country/ITA'] },
  { kind: 'short', text: 'deu', all: ['country/DEU', 'language/deu'] },
  { kind: 'vocabulary', text: 'landlocked', all: ['predicate landlocked'] },
  { kind: 'vocabulary', text: 'square kilometres', all: ['predicate area'] },
  { kind: 'vocabulary', text: 'melting point in kelvin', all: ['predicate meltingPoint'] },
  { kind: 'vocabulary', text: 'list of currensies', all: ['class Currency', 'predicate currencies'] },
  { kind: 'vocabulary', text: 'ISO 3166 code', all: ['predicate code', 'predicate alpha2'] },
  { kind: 'vocabulary', text: 'the chemical elements', all: ['class Element'] },
  { kind: 'vocabulary', text: 'neighbours of a country', all: ['predicate borders', 'class Country'] },
  { kind: 'several', text: 'Euro Germany', all: ['currency/EUR', 'country/DEU'] },
  { kind: 'several', text: 'Douglas Isle of Man', all: ['city/IMN/douglas', 'country/IMN'] },
  { kind: 'several', text: 'Georgetown in Guyana', all: ['city/GUY/georgetown', 'country/GUY'] },
  { kind: 'several', text: 'Kingston Jamaica', all: ['city/JAM/kingston'] },
  { kind: 'several', text: 'the French language', all: ['language/fra', 'class Language'] },
  { kind: 'several', text: 'Congolese franc', all: ['currency/CDF'] },
  { kind: 'several', text: 'Zurich airport Switzerland', all: ['airport/ZRH', 'country/CHE'] },
  { kind: 'tongue', text: 'Deutschland', all: ['country/DEU'] },
  { kind: 'tongue', text: '日本', all: ['country/JPN'] },
  { kind: 'tongue', text: 'Россия', all: ['country/RUS'] },
  { kind: 'tongue', text: 'Osterreich', all: ['country/AUT'] },
];
