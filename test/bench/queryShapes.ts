import { country } from '../../demo/names.ts';
import { countries } from './graph.ts';
import { elevations, firstYear, networkId, operatorName, perNetwork, perOperator, years } from './stations.ts';

/** A kind of query, with the variables that it is asked with in turn. */
export interface QueryShape {
  name: string;
  query: string;
  variables: Record<string, unknown>[];
}

const several = 200;

/** Each neighbour of a country with its languages and currencies. */
export const twoHops: QueryShape = {
  name: 'By indexed name, two hops',
  query: `query ($name: String!) {
    countries(where: { name: { eq: $name } }) {
      name
      borders { name languages { name } currencies { name symbol } }
    }
  }`,
  variables: countries.map(({ name }) => ({ name: name.common })),
};

/** Queries of the countries of the world. */
export const worldShapes: QueryShape[] = [
  {
    name: 'Lookup by id',
    query: `query ($id: ID!) {
      countries(where: { id: { eq: $id } }) { id name code region area capital { name } }
    }`,
    variables: countries.map(({ cca3 }) => ({ id: country(cca3).id })),
  },
  twoHops,
];

/** Queries of a class of many entities. */
export function stationShapes(count: number): QueryShape[] {
  const some = (limit: number, make: (index: number) => Record<string, unknown>) =>
    Array.from({ length: Math.min(several, limit) }, (_, index) => make(index));
  return [
    {
      name: `Filter by an indexed scalar: ${perOperator} of ${count.toLocaleString('en')}`,
      query: `query ($operator: String!) {
        stations(where: { operator: { eq: $operator } }) { id name elevation }
      }`,
      variables: some(count / perOperator, (index) => ({ operator: operatorName(index) })),
    },
    {
      name: `Filter by a range without an index: 1 in 400 of ${count.toLocaleString('en')}`,
      query: `query ($from: Float!, $to: Float!) {
        stations(where: { elevation: { gte: $from, lt: $to } }) { id name elevation }
      }`,
      variables: some(several, (index) => {
        const from = (index * elevations) / several;
        return { from, to: from + elevations / 400 };
      }),
    },
    {
      name: `Aggregate over a class of ${count.toLocaleString('en')}`,
      query: `query ($year: Int!) {
        stationsConnection(where: { opened: { gte: $year } }) {
          aggregate { count { nodes } node { elevation { average min max } } }
        }
      }`,
      // From all to half.
      variables: some(years / 2, (index) => ({ year: firstYear + index })),
    },
    {
      name: `Aggregate over a neighbourhood of ${perNetwork}`,
      query: `query ($id: ID!) {
        networks(where: { id: { eq: $id } }) {
          name
          stationsConnection { aggregate { count { nodes } node { elevation { average min max } } } }
        }
      }`,
      variables: some(count / perNetwork, (index) => ({ id: networkId(index) })),
    },
  ];
}
