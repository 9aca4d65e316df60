import {
  type GraphQLArgument,
  GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
} from 'graphql';
import { type Input, Word } from '../../graph/qualify/leaks/graphqlInput.ts';
import type { Random } from '../../graph/qualify/random.ts';
import { aTime, classes, graphs, ids, predicates, words } from './graph.ts';

/** Random values for the arguments of one document. */
export class RandomInput {
  /** The arguments that got what they can't mean. */
  readonly bad: string[] = [];
  private readonly random: Random;
  /** How many more objects may be nested in filters. */
  private left: number;

  constructor(random: Random) {
    this.random = random;
    this.left = random.pick([0, 0, 1, 1, 2, 4]);
  }

  mustHave({ type, defaultValue }: GraphQLArgument): boolean {
    return isNonNullType(type) && defaultValue === undefined;
  }

  argument({ name, type }: GraphQLArgument): Input {
    const { random } = this;
    if (!isNonNullType(type) && random.chance(0.03)) return null;
    if (['first', 'limit', 'offset'].includes(name)) return this.count(name);
    if (name === 'after') return this.cursor();
    return this.input(type, name);
  }

  private count(name: string): Input {
    const { random } = this;
    if (random.chance(0.92)) return random.pick(name === 'offset' ? [0, 0, 1, 2, 5, 1000] : [0, 1, 2, 3, 5, 100]);
    if (random.chance(0.3)) return 2 ** 31 - 1;
    this.bad.push(name);
    return random.pick([-1, -7, -(2 ** 31), 2 ** 31, 2 ** 53]);
  }

  private cursor(): Input {
    const { random } = this;
    const at = (place: number | string) => Buffer.from(`arrayconnection:${place}`).toString('base64');
    if (random.chance(0.85)) return at(random.pick([-1, 0, 0, 1, 2, 5, 5000]));
    this.bad.push('after');
    return random.pick([
      '',
      'x',
      'e1',
      at('x'),
      at(''),
      at(-5),
      at(2 ** 31),
      at(1e300),
      at('1.5'),
      ` ${at(1)}`,
      at(3).slice(0, -1),
    ]);
  }

  private input(of: GraphQLInputType, name: string): Input {
    const { random } = this;
    const type = getNullableType(of);
    if (isListType(type)) {
      const length = random.chance(0.05) ? 0 : 1 + random.below(3);
      // One value may stand for a list of one.
      if (length === 1 && random.chance(0.2)) return this.input(type.ofType, name);
      return Array.from({ length }, () => this.input(type.ofType, name));
    }
    if (type instanceof GraphQLInputObjectType) return this.inputObject(type, name);
    if (isEnumType(type)) return new Word(random.pick(type.getValues()).name);
    switch (getNamedType(type).name) {
      case 'Int':
        return random.pick([0, 1, 2, 5, 20, 40, -3, 2 ** 31 - 1]);
      case 'Float':
        return random.pick([0, 0.25, 0.5, 1, 1.5, 20, -1e300, 1e-9]);
      case 'Boolean':
        return random.chance(0.5);
      case 'DateTime':
        return random.pick([aTime(random), '2024-01-02T03:04:05.678+02:00', '1900-01-01T00:00:00Z']);
      case 'Date':
        return random.pick(['2001-02-03', '1999-12-31', '0001-01-01']);
      default:
        return this.text(name);
    }
  }

  private text(name: string): string {
    const { random } = this;
    if (name === 'predicate') return random.pick(predicates);
    if (name === 'graph') return random.pick(graphs);
    if (name === 'type') return random.pick(classes);
    if (name === 'id') return random.pick(ids);
    return random.pick(words);
  }

  private inputObject(type: GraphQLInputObjectType, name: string): Input {
    const { random } = this;
    const fields = Object.values(type.getFields());
    if (random.chance(0.02)) return {};
    const logical = fields.filter((each) => ['AND', 'OR', 'NOT'].includes(each.name));
    const own = fields.filter((each) => !logical.includes(each));
    const isNested = (of: GraphQLInputType) => {
      const inner = getNamedType(of);
      return inner instanceof GraphQLInputObjectType && !/Filters$|CountFilterInput$/.test(inner.name);
    };
    const nested = own.filter((each) => isNested(each.type) || isNested(firstOf(each.type)));
    const values = own.filter((each) => !nested.includes(each));
    const deeper = [...nested, ...nested, ...logical];
    const isDeep = deeper.length > 0 && (values.length === 0 || (this.left > 0 && random.chance(0.5)));
    const [chosen = fields[0], ...rest] = [random.pick(isDeep ? deeper : values), ...random.some(values, 0.08)];
    if (isDeep) this.left -= 1;
    const isFilter = /Filters$/.test(type.name);
    const value = (of: typeof chosen) =>
      of && !isNonNullType(of.type) && random.chance(0.04)
        ? null
        : this.input(of?.type ?? type, isFilter ? name : (of?.name ?? name));
    return Object.fromEntries([chosen, ...rest].flatMap((each) => (each ? [[each.name, value(each)]] : [])));
  }
}

/** The type of the first member, which tells what an object of filters holds. */
function firstOf(of: GraphQLInputType): GraphQLInputType {
  const type = getNamedType(of);
  const [first] = type instanceof GraphQLInputObjectType ? Object.values(type.getFields()) : [];
  return first?.type ?? of;
}
