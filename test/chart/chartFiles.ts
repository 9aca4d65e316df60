import { readFileSync } from 'node:fs';
import { settingGroups } from '../../src/config/config.ts';
import { isSecretSetting } from '../../src/config/secretSetting.ts';

/** The chart, from the root. */
export const chart = 'helm/concord';

/** The chart before: as it was before the version changed last, packed by `npm version`. */
export const chartBefore = 'test/chart/before/concord.tgz';

export const readChart = (path: string): string => readFileSync(`${chart}/${path}`, 'utf8');

/** Every setting of Concord, with what it says of itself. */
export const settings = new Map(
  Object.values(settingGroups)
    .flatMap((group) => Object.entries(group))
    .map(([name, schema]) => [name, schema.description ?? '']),
);

/** True of a setting that must not stand in the values in plain text. */
export const isSecret = (name: string): boolean => secrets.has(name);

const secrets = new Set(
  Object.values(settingGroups)
    .flatMap((group) => Object.entries(group))
    .flatMap(([name, schema]) => (isSecretSetting(schema) ? [name] : [])),
);
