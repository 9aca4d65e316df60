import type { Agent } from './agents.ts';
import type { Screen } from './screen.ts';

const question = `{
  countries(where: { code: { eq: "CHE" } }) {
    languagesConnection {
      edges {
        properties { certainty sourceAgentId }
        node {
          name
          spokenIn(where: { borders: { some: { code: { eq: "CHE" } } } }, sort: [{ name: ASC }]) {
            name
            population
            capital { name }
            currencies { code symbol }
          }
        }
      }
    }
  }
}`;

/** The part of the answer that the table shows. */
interface Answer {
  countries: {
    languagesConnection: {
      edges: {
        properties: { certainty: number | null; sourceAgentId: string };
        node: { name: string; spokenIn: Neighbour[] };
      }[];
    };
  }[];
}

interface Neighbour {
  name: string;
  population: number | null;
  capital: { name: string }[];
  currencies: { code: string; symbol: string }[];
}

/** Step 3: a query across borders, languages and currencies, which reads what both agents have said. */
export async function ask(agent: Agent, screen: Screen): Promise<void> {
  screen.step('A question: which neighbours of Switzerland share a language with it, and how do they pay?');
  screen.code(question);
  const { data, queryMetadata } = await agent.concord.query<Answer>(question);
  screen.table(
    [['language', 'certainty', 'said by', 'neighbour', 'capital', 'currency', 'population'], ...rows(data)],
    {
      head: true,
    },
  );
  const { revision, queries, durationMs, databaseMs } = queryMetadata;
  screen.aside(
    `queryMetadata: revision ${revision}, ${durationMs} ms in all, ${databaseMs} ms in Neo4j, Cypher queries: ${queries}`,
  );
}

function rows({ countries }: Answer): string[][] {
  const languages = countries.flatMap(({ languagesConnection }) => languagesConnection.edges);
  return languages
    .toSorted((one, other) => one.node.name.localeCompare(other.node.name, 'en'))
    .flatMap(({ properties, node }) =>
      node.spokenIn.map((neighbour) => [
        node.name,
        // A certainty that isn't stated counts as 1.
        String(properties.certainty ?? 1),
        properties.sourceAgentId,
        neighbour.name,
        neighbour.capital.map(({ name }) => name).join(', '),
        neighbour.currencies.map(({ code, symbol }) => `${code} ${symbol}`).join(', '),
        neighbour.population?.toLocaleString('en') ?? '',
      ]),
    );
}
