import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { settingsPage } from './settingsPage.ts';

it('docs/settings.md is what the settings say of themselves', () => {
  if (readFileSync('docs/settings.md', 'utf8') !== settingsPage()) {
    throw new Error('docs/settings.md differs from the settings in src/config: write it anew by `npm run docs`');
  }
  expect(settingsPage()).toContain('| `PORT` | `4000` | Port to listen on');
});
