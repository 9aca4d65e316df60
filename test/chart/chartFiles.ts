import { readFileSync } from 'node:fs';
import { settingGroups } from '../../src/config/config.ts';
import { isSecretSetting } from '../../src/config/secretSetting.ts';

/** The chart, from the root. */
export const chart = 'helm/concord';

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
