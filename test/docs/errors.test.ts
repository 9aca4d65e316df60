import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { errorsPage } from './errorsPage.ts';

test('docs/errors.md is what the table of reasons says; npm run docs writes it anew', () => {
  expect(readFileSync('docs/errors.md', 'utf8')).toBe(errorsPage());
});

test('each code is explained on the page of errors', () => {
  expect(errorsPage()).not.toContain('undefined');
});
