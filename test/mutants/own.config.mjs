import { fileURLToPath } from 'node:url';
import usual from '../../jest.config.mjs';

/** The project's own configuration, on one Neo4j, for a copy of the project whose build has the change. */
export default { ...usual, rootDir: fileURLToPath(new URL('../..', import.meta.url)) };
