import { isObject } from '../../../base/isObject.ts';
import type { ClassDefinition, Field, LinkField, LiteralField } from '../../../vocabulary/vocabulary.ts';
import { valueFault } from '../../../wire/fieldValues.ts';
import type * as Wire from '../../../wire/types.ts';
import type { SaidEntity } from './entities.ts';
import { type Keyed, keyed, type TellFault } from './entityKey.ts';

/** A field of an entity in one graph. */
export interface FieldOfEntity {
  subject: string;
  predicate: string;
  graph?: string;
}

/** Takes what an entity comes to. */
export interface EntityTaker {
  fault: TellFault;
  patch(patch: Wire.Patch, path: PropertyKey[]): void;
  /** Every value of this field is to be taken back. */
  clear(field: FieldOfEntity): void;
}

type Classes = ReadonlyMap<string, ClassDefinition>;
type Extras = Pick<Wire.Statement, 'graph' | 'certainty' | 'provenance'>;

/**
 * The patches of an entity, free of any database: those of its key first, then field by field in the order in which it
 * is said.
 */
export function takeEntity(classes: Classes, said: SaidEntity, taker: EntityTaker): void {
  const definition = classes.get(said.class);
  if (definition === undefined) {
    taker.fault(
      ['class'],
      `names '${shown(said.class)}', which is no class of the vocabulary; see GET /schema.graphql`,
    );
    return;
  }
  const entity = entityOf(definition, said, taker.fault);
  const extras = extrasOf(said, taker.fault);
  if (entity === undefined || extras === undefined) return;
  const { id, key } = entity;
  const writer = new FieldWriter(classes, definition, { id, type: definition.iri }, taker);
  const isStated = said.op !== 'remove';
  // How certain the rest is, and from where, isn't said of the key: it only tells which entity is meant.
  const bare: Extras = said.graph === undefined ? {} : { graph: said.graph };
  if (isStated) for (const [name, value] of key) writer.write(name, value, 'add', bare, ['key', name]);
  for (const [name, value] of Object.entries(said.fields ?? {})) {
    const keyValue = isStated ? key.get(name) : undefined;
    if (keyValue === undefined) writer.write(name, value, said.op ?? 'put', extras, ['fields', name]);
    else if (value !== keyValue) taker.fault(['fields', name], `is of the key, which has '${shown(keyValue)}'`);
  }
}

/** Which entity is meant. */
function entityOf(definition: ClassDefinition, said: SaidEntity, fault: TellFault): Keyed | undefined {
  const { id, key, fields = {} } = said;
  if (key === undefined && Object.keys(fields).length === 0)
    return fault(['fields'], 'is empty: an entity is there by what is said of it');
  if (id !== undefined && key !== undefined) return fault(['key'], "is given beside 'id'; give one of them");
  if (id !== undefined) return { id, key: new Map() };
  if (key !== undefined) return keyed(definition, key, ['key'], fault);
  if (said.op === 'remove') return fault([], "has neither 'id' nor 'key': of which entity is it removed?");
  const { name, key: names } = definition;
  if (names === undefined) return fault([], `has no 'id', and the class ${name} has no key in the vocabulary`);
  const missing = names.find((each) => !Object.hasOwn(fields, each));
  if (missing !== undefined)
    return fault([], `has neither 'id' nor 'key', nor the field '${missing}' of the key of ${name}`);
  return keyed(definition, Object.fromEntries(names.map((each) => [each, fields[each]])), ['fields'], fault);
}

function extrasOf(said: SaidEntity, fault: TellFault): Extras | undefined {
  const { graph, certainty, source, observedAt } = said;
  const twice = (member: string, name: string) =>
    fault([name], `is given in provenance.${member} too; give one of them`);
  if (source !== undefined && said.provenance?.source !== undefined) return twice('source', 'source');
  if (observedAt !== undefined && said.provenance?.timestamp !== undefined) return twice('timestamp', 'observedAt');
  const provenance = {
    ...said.provenance,
    ...(source !== undefined && { source }),
    ...(observedAt !== undefined && { timestamp: observedAt }),
  };
  return {
    ...(graph !== undefined && { graph }),
    ...(certainty !== undefined && { certainty }),
    ...(Object.keys(provenance).length > 0 && { provenance }),
  };
}

/** Writes the fields of one entity as patches. */
class FieldWriter {
  constructor(
    private readonly classes: Classes,
    private readonly definition: ClassDefinition,
    private readonly subject: Wire.Subject,
    private readonly taker: EntityTaker,
  ) {}

  write(name: string, value: unknown, op: 'put' | Wire.PatchOperation, extras: Extras, path: PropertyKey[]): void {
    const field = this.fieldOf(name, path);
    if (field === undefined) return;
    const { predicate } = field;
    if (value === null || (op === 'replace' && Array.isArray(value) && value.length === 0)) {
      const { graph } = extras;
      this.taker.clear({ subject: this.subject.id, predicate, ...(graph !== undefined && { graph }) });
      return;
    }
    const isSingle = field.functional || (field.kind === 'literal' && !field.list);
    const isList = Array.isArray(value);
    if (isList && isSingle && op !== 'remove' && (value.length > 1 || field.kind === 'literal')) {
      this.taker.fault(path, 'is a list, but the field takes one value');
      return;
    }
    for (const [index, each] of (isList ? value : [value]).entries()) {
      const place = isList ? [...path, index] : path;
      const object = field.kind === 'link' ? this.entityIn(field, each, place) : this.literalIn(field, each, place);
      if (object === undefined) continue;
      const statement = { subject: this.subject, predicate: { id: predicate }, object, ...extras };
      this.taker.patch({ op: patchOp(op, isSingle, index), statement }, place);
    }
  }

  private fieldOf(name: string, path: PropertyKey[]): LiteralField | LinkField | undefined {
    const { name: className, fields } = this.definition;
    const field: Field | undefined = fields.find((each) => each.name === name);
    if (field === undefined)
      return this.taker.fault(path, `is no field of ${className}; GET /schema.graphql shows those that it has`);
    if (field.kind === 'inverse')
      return this.taker.fault(path, `is the inverse of ${field.target}.${field.of}: state it there`);
    return field;
  }

  private literalIn(
    { scalar, indexed }: LiteralField,
    given: unknown,
    path: PropertyKey[],
  ): Wire.LiteralObject | undefined {
    const { value, language, ...more } = isObject(given) ? given : { value: given };
    const isText = scalar === 'String';
    const [other] = Object.keys(more);
    if (other !== undefined || (language !== undefined && !isText))
      return this.taker.fault([...path, other ?? 'language'], 'is not of a value of this field');
    const fault = valueFault(scalar, indexed, value);
    if (fault !== undefined) return this.taker.fault(path, fault);
    const type = datatypeOf(scalar, value);
    return {
      value: value as Wire.LiteralObject['value'],
      ...(type !== undefined && { type }),
      ...(language !== undefined && { language: language as string }),
    };
  }

  private entityIn({ target }: LinkField, given: unknown, path: PropertyKey[]): Wire.Subject | undefined {
    const { fault } = this.taker;
    const definition = this.classes.get(target);
    if (!isObject(given) || definition === undefined)
      return fault(path, `is not {"id": …} nor {"key": …} of an entity of the class ${target}`);
    const { id, key, class: said, ...more } = given;
    const [other] = Object.keys(more);
    if (other !== undefined) return fault([...path, other], 'is none of id, key and class');
    if (said !== undefined && said !== target)
      return fault([...path, 'class'], `is not ${target}, which the field takes`);
    if ((id === undefined) === (key === undefined)) return fault(path, "has both or neither of 'id' and 'key'");
    if (id !== undefined) return { id: id as string, type: definition.iri };
    if (!isObject(key)) return fault([...path, 'key'], 'is not an object of names and values');
    const entity = keyed(definition, key, [...path, 'key'], fault);
    return entity && { id: entity.id, type: definition.iri };
  }
}

function patchOp(op: 'put' | Wire.PatchOperation, isSingle: boolean, index: number): Wire.PatchOperation {
  if (op === 'put') return isSingle ? 'replace' : 'add';
  // The first takes the place of all; the others stand beside it.
  return op === 'replace' && index > 0 ? 'add' : op;
}

/**
 * Where a value alone doesn't tell its datatype. Whole numbers are integers, as in `mutations`, while they are exact.
 */
function datatypeOf(scalar: LiteralField['scalar'], value: unknown): string | undefined {
  if (scalar === 'Date') return 'xsd:date';
  if (scalar === 'DateTime') return 'xsd:dateTime';
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'xsd:double' : undefined;
}

/** As messages quote it. */
function shown(value: string | number): string {
  const text = String(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
