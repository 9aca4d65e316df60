import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { documents } from './documents.ts';

describe.each(documents())('$path', ({ path, text }) => {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');

  it('names files that are there', () => {
    const named = [...prose.matchAll(/`((?:[\w.]+\/)+[\w.-]+\.(?:ts|mjs|js|md|graphql|cypher|json|xml))`/g)];
    const missing = named.map(([, file = '']) => file).filter((file) => !isThere(file));
    expect(missing).toEqual([]);
  });

  it('links to pages and headings that are there', () => {
    const linked = [...prose.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const missing = linked.filter(([, to = '', heading]) => {
      const target = to === '' ? path : join(dirname(path), to);
      return !existsSync(target) || (heading !== undefined && !headings(target).includes(heading));
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  it('has lines of at most 120 characters beside tables, examples and what is made', () => {
    const lines = prose.split('\n').filter((line) => line.length > 120 && !/^(\||<!--)/.test(line));
    expect(lines).toEqual([]);
  });
});

it('README.md has at most 200 lines', () => {
  expect(readFileSync('README.md', 'utf8').split('\n').length - 1).toBeLessThanOrEqual(200);
});

/** A path is said from the root, or from src. */
function isThere(file: string): boolean {
  return existsSync(file) || existsSync(join('src', file)) || existsSync(join('docs', file));
}

/** The anchors that GitHub gives the headings of a page. */
function headings(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  );
}
