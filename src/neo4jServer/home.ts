import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';

/** Where Concord's own Neo4j keeps everything, as an absolute path. */
export function homeOf(config: Config): string {
  return resolve(join(config.DATA_DIR, 'neo4j'));
}

/**
 * Creates it, for its owner only.
 * @throws StartupError when that is impossible.
 */
export function createHome(config: Config): string {
  const home = homeOf(config);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return home;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartupError(`DATA_DIR cannot be used: ${why}. Set it to a directory that can be written.`, {
      cause: error,
    });
  }
}
