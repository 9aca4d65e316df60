import type { Field, Scalar } from '../../vocabulary/vocabulary.ts';
import type { NamedClass } from './classes.ts';

const typeOf: Record<Scalar, string> = {
  String: 'string',
  ID: 'string',
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  DateTime: 'Date',
  Date: 'Date',
};

/** A TypeScript module of the types of a vocabulary, for `typed` of the client. */
export function typescriptText(classes: NamedClass[], client: string): string {
  const keys = new Set(classes.flatMap(({ name, key }) => (key ? [name] : [])));
  const lines = classes.flatMap((each) => [
    ...rowLines(each),
    ...fieldLines(each, keys),
    ...(each.key ? keyLines(each) : []),
  ]);
  return [
    '// Made by `concord types` from the vocabulary; made anew rather than changed.',
    // A class may have the name of any type of the client.
    `import type * as Concord from ${quoted(client)};`,
    '',
    ...lines,
    '/** The types of each class. */',
    'export interface Classes {',
    ...classes.map(
      ({ name, key, plural }) =>
        `  ${name}: { row: ${name}; fields: ${name}Fields; key: ${key ? `${name}Key` : 'never'}; plural: ${quoted(plural)} };`,
    ),
    '}',
    '',
    '/** For `typed(client, vocabulary)`. */',
    'export const vocabulary: Concord.Vocabulary<Classes> = {',
    '  classes: {',
    ...classes.flatMap(modelLines),
    '  },',
    '};',
  ].join('\n');
}

function rowLines({ name, iri, description, fields }: NamedClass): string[] {
  return [
    ...comment('', `${description ?? `${name}.`} <${iri}>`),
    `export interface ${name} {`,
    '  id: string;',
    '  /** IRI of its class. */',
    '  type: string | null;',
    ...fields.flatMap((field) => [...comment('  ', about(field)), `  ${field.name}: ${rowType(field)};`]),
    '}',
    '',
  ];
}

function fieldLines({ name, fields }: NamedClass, keys: ReadonlySet<string>): string[] {
  return [
    `/** What can be stated of ${name}; null takes it back. */`,
    `export interface ${name}Fields {`,
    ...fields.flatMap((field) =>
      field.kind === 'inverse'
        ? []
        : [...comment('  ', about(field)), `  ${field.name}?: ${inputType(field, keys)} | null;`],
    ),
    '}',
    '',
  ];
}

function keyLines({ name, key = [], fields }: NamedClass): string[] {
  return [
    `/** What ${name} is known by. */`,
    `export interface ${name}Key {`,
    ...key.map((each) => {
      const field = fields.find((one) => one.name === each);
      return `  ${each}: ${field?.kind === 'literal' ? valueType(field.scalar) : 'string'};`;
    }),
    '}',
    '',
  ];
}

function rowType(field: Field): string {
  if (field.kind === 'literal') return `${typeOf[field.scalar]}${field.list ? '[]' : ''} | null`;
  return field.kind === 'inverse' || field.list ? `${field.target}[]` : `${field.target} | null`;
}

function inputType(field: Exclude<Field, { kind: 'inverse' }>, keys: ReadonlySet<string>): string {
  if (field.kind === 'link') {
    const reference = `Concord.Reference<${keys.has(field.target) ? `${field.target}Key` : 'never'}>`;
    return field.list ? `Concord.Many<${reference}>` : reference;
  }
  const value = field.scalar === 'String' ? 'string | Concord.Text' : valueType(field.scalar);
  return field.list ? `Concord.Many<${value}>` : value;
}

/** Dates may also be text, as they are sent. */
function valueType(scalar: Scalar): string {
  return typeOf[scalar] === 'Date' ? 'Date | string' : typeOf[scalar];
}

function modelLines({ name, iri, plural, key, fields }: NamedClass): string[] {
  return [
    `    ${name}: {`,
    `      iri: ${quoted(iri)},`,
    `      plural: ${quoted(plural)},`,
    ...(key ? [`      key: [${key.map(quoted).join(', ')}],`] : []),
    '      fields: {',
    ...fields.map((field) => `        ${field.name}: { ${modelOf(field).join(', ')} },`),
    '      },',
    '    },',
  ];
}

function modelOf(field: Field): string[] {
  const flag = (name: string, is: boolean) => (is ? [`${name}: true`] : []);
  if (field.kind === 'inverse') return [`class: ${quoted(field.target)}`, 'list: true', 'inverse: true'];
  const functional = flag('functional', field.functional);
  if (field.kind === 'link') return [`class: ${quoted(field.target)}`, ...flag('list', field.list), ...functional];
  const { scalar, list, indexed } = field;
  return [`scalar: ${quoted(scalar)}`, ...flag('list', list), ...flag('indexed', indexed), ...functional];
}

function about(field: Field): string {
  const said = field.description ?? '';
  if (field.kind === 'inverse') return `${said} The other end of ${field.target}.${field.of}.`.trim();
  return `${said} <${field.predicate}>`.trim();
}

function comment(indent: string, text: string): string[] {
  return [`${indent}/** ${text.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */`];
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
