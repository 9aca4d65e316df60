import { writeFileSync } from 'node:fs';
import { writeChartPages } from '../chart/chartPages.ts';
import { errorsPage } from './errorsPage.ts';
import { settingsPage } from './settingsPage.ts';

// The pages that are made of the code.
writeFileSync('docs/settings.md', settingsPage());
writeFileSync('docs/errors.md', errorsPage());
writeChartPages();
