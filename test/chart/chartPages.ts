import { writeFileSync } from 'node:fs';
import { isMap, parseDocument } from 'yaml';
import { chart, isSecret, readChart, settings } from './chartFiles.ts';

/** Settings that aren't secret and may still come from a Secret. */
const perhapsSecret = ['JWT_PUBLIC_KEY', 'NEO4J_READER_USER', 'NEO4J_USER'];

/** helm/concord/README.md: what is written above its table, and the table of values made anew. */
export function chartReadme(): string {
  const [head = ''] = readChart('README.md').split(heading);
  return `${head}${heading}\n\n${valuesTable()}\n`;
}

/** helm/concord/values.schema.json, with the settings as they are now. */
export function chartSchema(): string {
  const schema = JSON.parse(readChart('values.schema.json'));
  const names = [...settings.keys()].sort();
  schema.properties.config = closedObject(
    names.filter((name) => !isSecret(name)),
    (name) => ({ description: settings.get(name), type: ['string', 'number', 'boolean'] }),
  );
  schema.properties.secrets = closedObject(
    names.filter((name) => isSecret(name) || perhapsSecret.includes(name)),
    () => ({ $ref: '#/definitions/secretKey' }),
  );
  schema.properties.secretFiles = closedObject(
    names.filter((name) => isSecret(name) || name === 'JWT_PUBLIC_KEY'),
    () => ({ $ref: '#/definitions/secretKey' }),
  );
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** Writes both. */
export function writeChartPages(): void {
  const pages = { 'README.md': chartReadme(), 'values.schema.json': chartSchema() };
  for (const [path, text] of Object.entries(pages)) writeFileSync(`${chart}/${path}`, text);
}

const heading = '## Values';

function closedObject(names: string[], schemaOf: (name: string) => object): object {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, schemaOf(name)])),
  };
}

/** A row for each value that has a comment of `# --`. */
function valuesTable(): string {
  const rows = [...commentsByPath()].map(([path, says]) => `| \`${path.join('.')}\` | ${defaultOf(path)} | ${says} |`);
  return ['| value | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function defaultOf(path: string[]): string {
  const value = parseDocument(readChart('values.yaml')).getIn(path);
  return isMap(value) || typeof value === 'object'
    ? `\`${JSON.stringify((value as { toJSON(): unknown }).toJSON())}\``
    : value === ''
      ? ''
      : `\`${String(value)}\``;
}

/** Each `# --` with the path of the value below it. */
export function commentsByPath(): Map<string[], string> {
  const found = new Map<string[], string>();
  const path: string[] = [];
  let says: string | undefined;
  for (const line of readChart('values.yaml').split('\n')) {
    const [, comment] = line.match(/^ *# -- (.*)$/) ?? [];
    const [, indent = '', key] = line.match(/^( *)([\w.-]+):/) ?? [];
    if (comment !== undefined) says = comment;
    if (key === undefined) continue;
    path.splice(indent.length / 2, path.length, key);
    if (says !== undefined) found.set([...path], says);
    says = undefined;
  }
  return found;
}
