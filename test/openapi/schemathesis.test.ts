import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { pythonWith } from '../a2a/python/environment.ts';
import { useFolder, useService } from '../support/setUp.ts';

const run = promisify(execFile);
const python = await pythonWith({
  requirements: 'test/openapi/python/requirements.txt',
  cache: '.cache/schemathesis',
  what: 'schemathesis',
});
/** What it remembers of a run isn't to be found by the next. */
const folder = useFolder();
const service = useService({ QUERY_TIMEOUT_MS: '5000' });

/** EXAMPLES=100 tries more of each address, SEED another choice. */
const { EXAMPLES = '1', SEED = '1' } = process.env;
const options = [
  ...['--seed', SEED, '--max-examples', EXAMPLES, '--phases', 'fuzzing', '--request-timeout', '20', '--no-shrink'],
  ...['--checks', 'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance'],
  ...['--suppress-health-check', 'all', '--warnings', 'off', '--continue-on-failure', '--no-color'],
];

(python.missing === undefined ? test : test.skip)(
  'no request that schemathesis makes of the description is answered by a fault, or outside of the description',
  async () => {
    if (python.missing !== undefined) throw new Error(python.missing);
    const env = {
      ...process.env,
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONPATH: resolve('test/openapi/python'),
      COLUMNS: '150',
    };
    const args = ['-m', 'schemathesis.cli', 'run', `${service.url}/openapi.json`, ...options];
    const { stdout, stderr } = await run(resolve(python.command), args, {
      env,
      cwd: folder,
      timeout: 500_000,
      maxBuffer: 1e8,
    }).catch((failed) => failed);
    const problems = /^(?:=+ (?:FAILURES|ERRORS)|.*Schema Loading Error)/m.exec(stdout);
    expect(problems ? stdout.slice(problems.index) : stderr).toBe('');
    expect(stdout).toContain('No issues found');
  },
  520_000,
);
