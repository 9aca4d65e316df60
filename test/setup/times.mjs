import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/*
 * Runs the tests by one worker, for the Java of two couldn't be told apart; prints which file took how much processor
 * time; and keeps it in durations.json, by which sequencer.mjs orders them. `npm run test:times` takes all files,
 * `npm run test:times -- FILES` some.
 */
const lines = '.cache/times.jsonl';
const kept = 'test/setup/durations.json';
const kinds = ['node', 'children', 'java', 'compiler'];

mkdirSync('.cache', { recursive: true });
rmSync(lines, { force: true });
const environment = { ...process.env, TEST_TIMES: lines };
const run = spawnSync('npm', ['test', '--', '-i', ...process.argv.slice(2)], { env: environment, stdio: 'inherit' });

const parse = (line) => JSON.parse(line);
const times = readFileSync(lines, 'utf8').trim().split('\n').map(parse);
/** What the compiler took is a part of Java's. */
const total = ({ node, children, java }) => node + children + java;
const cell = (text) => text.padStart(9);
const print = (each) => console.log([total(each), ...kinds.map((kind) => each[kind])].map(shown).join(''), each.file);
const shown = (seconds) => cell(seconds.toFixed(1));

times.sort((one, other) => total(other) - total(one));
console.log(['total', ...kinds].map(cell).join(''), 'seconds of a processor');
for (const each of times) print(each);
const sum = (kind) => times.reduce((seconds, each) => seconds + each[kind], 0);
print({ file: 'together', ...Object.fromEntries(kinds.map((kind) => [kind, sum(kind)])) });

const before = JSON.parse(readFileSync(kept, 'utf8'));
const measured = Object.fromEntries(times.map((each) => [each.file, Number(total(each).toFixed(1))]));
const known = Object.entries({ ...before, ...measured }).filter(([file]) => existsSync(file));
known.sort(([one], [other]) => (one < other ? -1 : 1));
writeFileSync(kept, `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`);
process.exitCode = run.status ?? 1;
