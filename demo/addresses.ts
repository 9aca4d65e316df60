import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Config } from '../src/config/config.ts';
import type { Service } from '../src/service/startService.ts';
import type { Screen } from './screen.ts';

const knowledge = `MATCH (c:Country {code: 'CHE'})-[said]->(o) WHERE type(said) <> 'PAST'
MATCH (agent:Agent)-[:PROPOSED]->(update:Update {id: said.updateId})
RETURN type(said) AS statement, coalesce(o.name, o.value) AS object, coalesce(said.certainty, 1) AS certainty,
  agent.id AS agent, update.justification AS why, said.provenance AS provenance
ORDER BY statement, object`;

const neighbourhood = "MATCH path = (:Country {code: 'CHE'})-[:BORDERS|LANGUAGE|CURRENCY|CAPITAL]->() RETURN path";

/** Where everything is, and what to try: for a reader who looks around while the demo stays up. */
export function showAddresses(service: Service, config: Config, screen: Screen): void {
  const { url, neo4j } = service;
  screen.heading('Look around');
  screen.table([
    ['Service', url],
    ['A2A', `${url}/a2a`],
    ['Agent card', `${url}/.well-known/agent-card.json`],
    ['GraphQL', `${url}/graphql`],
    ['Schema', `${url}/schema.graphql`],
    ['Metrics', `${url}/metrics`],
    ...(neo4j.browserUrl === undefined ? [] : [['Neo4j Browser', neo4j.browserUrl]]),
    ['Neo4j', `${neo4j.uri}, user ${neo4j.user}, password: ${whereThePasswordIs(config)}`],
  ]);
  screen.heading('Paste into Neo4j Browser: what is said about Switzerland, by whom and why');
  screen.code(knowledge);
  screen.line('and the same as a picture:');
  screen.code(neighbourhood);
  screen.heading('Ask over A2A: the largest landlocked countries');
  screen.code(curl(url));
}

function whereThePasswordIs(config: Config): string {
  if (config.NEO4J_URI) return 'that of NEO4J_PASSWORD';
  const file = join(config.DATA_DIR, 'neo4j', 'password');
  return existsSync(file) ? `cat ${shortest(file)}` : 'that of NEO4J_PASSWORD';
}

function shortest(file: string): string {
  const path = relative('.', file);
  return path.startsWith('..') ? resolve(file) : path;
}

function curl(url: string): string {
  const query = '{ countries(where: {landlocked: {eq: true}}, sort: [{area: DESC}], limit: 3) { name area } }';
  const body = { jsonrpc: '2.0', id: 1, method: 'knowledge/query', params: { query } };
  return `curl -s ${url}/a2a -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
}
