import { type Command, InvalidArgumentError } from 'commander';
import { isObject } from '../base/isObject.ts';
import { type ConnectionOptions, connectTo, withConnection } from './target/connection.ts';
import type { Io } from './terminal/io.ts';
import { cell, tableLines } from './terminal/table.ts';
import { textOrFile } from './terminal/text.ts';

interface QueryCommandOptions extends ConnectionOptions {
  cypher?: boolean;
  variables?: Record<string, unknown>;
  certainty?: number;
  asOf?: string;
  json?: boolean;
}

const help = `
GraphQL in the schema of GET /schema.graphql, or read-only Cypher. A single list is shown as a table, anything else as JSON.

Examples:
  concord query '{ countries(limit: 3) { name population } }'
  concord query --certainty 0.8 --variables '{"name": "Switzerland"}' by-name.graphql
  concord query --cypher 'MATCH (c:Country)-[:CAPITAL]->(x) RETURN c.name, x.name LIMIT 5'
  echo '{ entities(limit: 1) { id type } }' | concord query - --json
`;

/** Adds `concord query`. */
export function addQueryCommand(program: Command, io: Io): void {
  const command = program
    .command('query')
    .description('ask a query')
    .argument('<query>', 'the query, a file with it, or - for standard input')
    .option('--cypher', 'the query is Cypher')
    .option('--variables <json>', 'a JSON object', jsonObject)
    .option('--certainty <number>', 'only statements at least this certain, from 0 to 1', number)
    .option('--as-of <revision or time>', 'the graph as this revision or this time (ISO 8601) had it')
    .option('--json', 'print the whole answer as one line of JSON')
    .addHelpText('after', help);
  withConnection(command).action((said: string, options: QueryCommandOptions) => ask(said, options, io));
}

async function ask(said: string, options: QueryCommandOptions, { print, say }: Io): Promise<void> {
  const { cypher, variables, certainty, asOf } = options;
  const text = await textOrFile(said);
  const client = await connectTo(options);
  const moment = asOf !== undefined && /^\d+$/.test(asOf) ? { asOfRevision: Number(asOf) } : { asOf };
  const { data, queryMetadata } = await client.query(text, variables, {
    ...(cypher && { queryLanguage: 'cypher' }),
    ...(certainty !== undefined && { requiredCertainty: certainty }),
    ...(asOf !== undefined && { metadata: moment }),
  });
  if (options.json) return print(JSON.stringify({ data, queryMetadata }));
  if (queryMetadata.truncated) say('There is more: ask for it with limit and offset, or first and after');
  const lines = listLines(data);
  if (lines === undefined) print(JSON.stringify(data, null, 2));
  else for (const line of lines) print(line);
}

/** The table of an answer that is one list of objects. */
function listLines(data: Record<string, unknown>): string[] | undefined {
  const [only, ...more] = Object.values(data);
  if (more.length > 0 || !Array.isArray(only) || !only.every(isObject)) return undefined;
  const titles = [...new Set(only.flatMap((row) => Object.keys(row)))];
  return tableLines(
    titles,
    only.map((row) => titles.map((title) => cell(row[title]))),
  );
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new InvalidArgumentError('It is not a JSON object.');
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('It is from 0 to 1.');
  return value;
}
