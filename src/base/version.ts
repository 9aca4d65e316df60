import { readFileSync } from 'node:fs';

/** Concord's version, from package.json, which lies two folders up from here in `src` as in `dist`. */
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
