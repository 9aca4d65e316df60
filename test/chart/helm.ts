import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../src/neo4jServer/programs.ts';
import { tools } from './cluster/tools.ts';

const built = join(tools, 'helm');

/** That of HELM, on the PATH, or built by `npm run test:chart`; undefined where there is none. */
export const helm = process.env.HELM || findProgram('helm', process.env) || (existsSync(built) ? built : undefined);
