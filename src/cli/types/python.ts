import type { Field, Scalar } from '../../vocabulary/vocabulary.ts';
import type { NamedClass } from './classes.ts';

const typeOf: Record<Scalar, string> = {
  String: 'str',
  ID: 'str',
  Int: 'int',
  Float: 'float',
  Boolean: 'bool',
  DateTime: 'datetime',
  Date: 'date',
};

/** Words of Python that no field of a dataclass can be called. */
const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** A Python module of dataclasses of a vocabulary, for `put` of the Python client. */
export function pythonText(classes: NamedClass[]): string {
  return [
    '"""Made by `concord types --python` from the vocabulary; made anew rather than changed."""',
    '',
    'from __future__ import annotations',
    '',
    'from collections.abc import Sequence',
    'from dataclasses import dataclass',
    'from datetime import date, datetime',
    'from typing import ClassVar',
    '',
    'from concord_client import UNSET, ClassModel, Entity, FieldModel, Link, Text, Unset',
    '',
    ...classes.flatMap(classLines),
  ]
    .join('\n')
    .trimEnd();
}

function classLines({ name, iri, plural, key = [], description, fields }: NamedClass): string[] {
  const stated = fields.filter((field) => field.kind !== 'inverse');
  return [
    '',
    '@dataclass(kw_only=True)',
    `class ${name}(Entity):`,
    `    """${(description ?? `${name}.`).replace(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('"', "'")} <${iri}>"""`,
    '',
    ...stated.map((field) => `    ${attribute(field.name)}: ${inputType(field)} | None | Unset = UNSET`),
    '',
    '    model: ClassVar[ClassModel] = ClassModel(',
    `        name=${JSON.stringify(name)},`,
    `        iri=${JSON.stringify(iri)},`,
    `        plural=${JSON.stringify(plural)},`,
    `        key=(${key.map((each) => `${JSON.stringify(attribute(each))},`).join(' ')}),`,
    '        fields={',
    ...fields.map((field) => `            ${JSON.stringify(attribute(field.name))}: FieldModel(${modelOf(field)}),`),
    '        },',
    '    )',
    '',
  ];
}

/** What an entity of the client has already. */
const members = new Set(['model', 'key', 'id', 'wire']);

/** `class_` for `class`, as Python has it. */
function attribute(name: string): string {
  return keywords.has(name) || members.has(name) ? `${name}_` : name;
}

function inputType(field: Exclude<Field, { kind: 'inverse' }>): string {
  if (field.kind !== 'literal') return field.list ? 'Link | Sequence[Link]' : 'Link';
  const value = field.scalar === 'String' ? 'str | Text' : typeOf[field.scalar];
  return field.list ? `${value} | Sequence[${value}]` : value;
}

function modelOf(field: Field): string {
  const said = [JSON.stringify(field.name)];
  if (field.kind === 'literal') said.push(`scalar=${JSON.stringify(field.scalar)}`);
  else said.push(`target=${JSON.stringify(field.target)}`);
  const flags = {
    many: field.kind === 'inverse' || field.list,
    indexed: field.kind === 'literal' && field.indexed,
    inverse: field.kind === 'inverse',
  };
  for (const [flag, is] of Object.entries(flags)) if (is) said.push(`${flag}=True`);
  return said.join(', ');
}
