import { writeFileSync } from 'node:fs';
import { settingsPage } from './settingsPage.ts';

// The pages that are made of the code.
writeFileSync('docs/settings.md', settingsPage());
