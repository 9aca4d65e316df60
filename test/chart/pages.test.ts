import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { isSecret, readChart, settings } from './chartFiles.ts';
import { chartReadme, chartSchema, commentsByPath } from './chartPages.ts';

const anew = 'write it anew by `npm run docs`';

describe('the pages of the chart', () => {
  it('README.md has the table of values.yaml', () => {
    if (readChart('README.md') !== chartReadme()) throw new Error(`helm/concord/README.md differs: ${anew}`);
  });

  it('values.schema.json has the settings of src/config', () => {
    if (readChart('values.schema.json') !== chartSchema())
      throw new Error(`helm/concord/values.schema.json differs: ${anew}`);
  });

  it('tells of each value', () => {
    const told = [...commentsByPath().keys()].map((path) => path.join('.'));
    const untold = leaves(parse(readChart('values.yaml'))).filter(
      (leaf) => !told.some((path) => leaf === path || leaf.startsWith(`${path}.`)),
    );
    expect(untold).toEqual([]);
  });

  it('says how much each column of the table holds', () => {
    expect(readChart('README.md')).toContain('| `neo4j.database` | `neo4j` | The database. |');
  });
});

describe('the settings', () => {
  const { properties } = JSON.parse(readChart('values.schema.json'));
  const inConfig = Object.keys(properties.config.properties);
  const inSecrets = Object.keys(properties.secrets.properties);

  it('can all be given, by config or by a Secret', () => {
    expect([...new Set([...inConfig, ...inSecrets])].sort()).toEqual([...settings.keys()].sort());
  });

  it('that are secret are given by a Secret only', () => {
    expect(inConfig.filter(isSecret)).toEqual([]);
    expect(inSecrets).toEqual(expect.arrayContaining(['NEO4J_PASSWORD', 'JWT_SECRET', 'MODEL_KEY', 'AGENT_CARD_KEY']));
  });
});

function leaves(value: unknown, path: string[] = []): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path.join('.')];
  return Object.entries(value).flatMap(([key, each]) => leaves(each, [...path, key]));
}
