import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseCypher } from '../../src/graph/qualify/grammar/tree.ts';
import { blocksOf } from './examples.ts';

const files = 'cypher/browser/';
const page = readFileSync('docs/operate/browser.md', 'utf8');
const model = readFileSync('docs/design/graph.md', 'utf8');
const style = readFileSync(`${files}style.grass`, 'utf8');

const blocks = blocksOf(page);
const queries = blocks.filter(({ role }) => role === 'browser').map(({ line, text }) => ({ line, text }));
const [, parameters = ''] = page.match(/^:params \{(.*)\}$/m) ?? [];
const given = [...parameters.matchAll(/(\w+): /g)].map(([, name]) => name);

/** Words that the page of the graph model puts into code. */
const inModel = (name: string) => new RegExp(`[\`({:[ ]${name}[\`)},\\] :]`).test(model);

describe('docs/operate/browser.md', () => {
  it('has ten questions', () => {
    expect(page.match(/^## .*\?$/gm)).toHaveLength(10);
    expect(queries.length).toBeGreaterThanOrEqual(10);
  });

  it('asks what the files ask that the Browser imports', () => {
    const scripts = readdirSync(files).filter((each) => each.endsWith('.cypher'));
    const asked = scripts.map((each) => readFileSync(`${files}${each}`, 'utf8').replace(/^\/\/ .*\n/, ''));
    expect(queries.map(({ text }) => text.trimEnd()).sort()).toEqual(asked.map((each) => each.trimEnd()).sort());
  });

  it.each(queries)('has Cypher at line $line that Neo4j’s grammar takes', ({ text }) => {
    expect(() => parseCypher(text)).not.toThrow();
  });

  it.each(queries)('names at line $line what the graph has', ({ text }) => {
    const labels = [...text.matchAll(/[(\w]:([A-Z][a-z]\w*)/g)].map(([, label = '']) => label);
    const types = [...text.matchAll(/\[\w*:([A-Z_]+)/g)].map(([, type = '']) => type);
    const properties = [...text.matchAll(/\b(?:statement|past|update|agent|change|object)\.(\w+)/g)].map(
      ([, property = '']) => property,
    );
    // What the vocabulary calls an entity, and what installing the trust of agents sets.
    const others = ['name', 'trust'];
    const unknown = [...labels, ...types, ...properties].filter((name) => !inModel(name) && !others.includes(name));
    expect(unknown).toEqual([]);
  });

  it.each(queries)('gives what the query at line $line asks for', ({ text }) => {
    const asked = [...text.matchAll(/\$(\w+)/g)].map(([, name]) => name);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((name) => !given.includes(name))).toEqual([]);
  });
});

it('the style sheet styles what the graph has', () => {
  const styled = [...style.matchAll(/^(?:node|relationship)\.(\w+) \{/gm)].map(([, name = '']) => name);
  expect(styled.length).toBeGreaterThan(5);
  expect(styled.filter((name) => !inModel(name))).toEqual([]);
  expect(style.split('{\n').length).toBe(style.split('}\n').length);
});
