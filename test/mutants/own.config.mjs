import { fileURLToPath } from 'node:url';
import { apart } from '../../jest.config.mjs';

/** The project's own configuration, for tests of a `src/` that isn't built. */
export default { ...apart, rootDir: fileURLToPath(new URL('../..', import.meta.url)) };
