import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { apocHardenings, hardenings } from '../../src/neo4jServer/hardening.ts';
import { chart, readChart } from './chartFiles.ts';

const umbrella = 'helm/concord-neo4j';
const read = (path: string) => readFileSync(path, 'utf8');
const { neo4j, concord } = parse(read(`${umbrella}/values.yaml`));

it('the Neo4j beside Concord is as tight as one that Concord starts', () => {
  const heap = neo4j.config['server.memory.heap.max_size'];
  // Neo4j's own default is to ask who comes.
  const wanted = hardenings(heap).filter(({ setting }) => setting !== 'dbms.security.auth_enabled');
  const loose = wanted.filter(({ setting, value, isTight }) => {
    const is = neo4j.config[setting];
    return is === undefined || !(isTight?.(is) ?? is === value);
  });
  expect(loose.map(({ setting }) => setting)).toEqual([]);
  expect(neo4j.apoc_config).toEqual(apocHardenings);
  expect(neo4j.services.neo4j.enabled).toBe(false);
});

it('Concord finds the Neo4j beside it, with the password that this has', () => {
  // The Service of Neo4j's chart takes the bare name of the release.
  expect(concord.fullnameOverride).toBe('{{ .Release.Name }}-concord');
  expect(concord.neo4j).toEqual({
    uri: 'bolt://{{ .Release.Name }}:7687',
    existingSecret: neo4j.neo4j.passwordFromSecret,
  });
  const { properties } = JSON.parse(readChart('values.schema.json'));
  expect(concord.neo4j.uri).toMatch(new RegExp(properties.neo4j.properties.uri.pattern));
});

it('the charts have the version of the package', () => {
  const { version } = JSON.parse(read('package.json'));
  for (const each of [chart, umbrella]) {
    expect(parse(read(`${each}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
  }
  expect(parse(read(`${umbrella}/Chart.yaml`)).dependencies[0]).toMatchObject({ name: 'concord', version });
  expect(read('Dockerfile')).toContain(`ARG VERSION=${version}\n`);
});

it.each([chart, umbrella])('the README of %s links to pages that are there', (folder) => {
  const links = [...read(`${folder}/README.md`).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to = '']) => to);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((to) => !existsSync(join(folder, to)))).toEqual([]);
});
