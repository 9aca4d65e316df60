// The version of package.json, written to whatever else has one; `npm version` runs this. With --check VERSION it writes
// nothing, and fails where one of them is another.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The places, with what stands before the version there. */
const places = [
  ['helm/concord/Chart.yaml', /^(version: ).*$/m],
  ['helm/concord/Chart.yaml', /^(appVersion: ).*$/m],
  ['helm/concord-neo4j/Chart.yaml', /^(version: ).*$/m],
  ['helm/concord-neo4j/Chart.yaml', /^(appVersion: ).*$/m],
  ['helm/concord-neo4j/Chart.yaml', /^( {2}- name: concord\n {4}version: ).*$/m],
  ['clients/python/pyproject.toml', /^(version = ").*(?="$)/m],
  ['Dockerfile', /^(ARG VERSION=).*$/m],
];

const pathOf = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const read = (file) => readFileSync(pathOf(file), 'utf8');

const { version } = JSON.parse(read('package.json'));
const [mode, wanted] = process.argv.slice(2);
const isCheck = mode === '--check';
const faults = [];
if (isCheck && wanted !== undefined && wanted !== version)
  faults.push(`package.json has ${version}, and not ${wanted}`);
for (const [file, place] of places) {
  const text = read(file);
  const changed = text.replace(place, `$1${version}`);
  if (!place.test(text)) faults.push(`${file} has no version`);
  else if (isCheck && changed !== text) faults.push(`${file} has another version than package.json, ${version}`);
  else if (changed !== text) writeFileSync(pathOf(file), changed);
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
