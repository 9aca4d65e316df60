import {
  type GraphQLArgument,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
} from 'graphql';
import { type Input, printInput, toVariable } from '../../graph/qualify/leaks/graphqlInput.ts';
import { type Field, GraphqlOperation, isLeaf } from '../../graph/qualify/leaks/graphqlOperation.ts';
import type { Random } from '../../graph/qualify/random.ts';
import { RandomInput } from './input.ts';

export interface Document {
  text: string;
  variables: Record<string, unknown>;
  /** The arguments that no server has to take: beyond what their type or their meaning allows. */
  bad: string[];
}

/** A random valid document of whatever a schema offers, without knowing what it means. */
export function randomDocument(random: Random, schema: GraphQLSchema): Document {
  return new Maker(random, schema).make();
}

class Maker extends GraphqlOperation {
  private readonly inputs: RandomInput;

  constructor(random: Random, schema: GraphQLSchema) {
    super(random, schema, random.pick([0, 0, 0, 1, 1, 1, 2, 2, 3, 5]));
    this.inputs = new RandomInput(random);
  }

  make(): Document {
    const { random } = this;
    const roots = this.roots();
    const chosen = Array.from({ length: random.pick([1, 1, 1, 1, 1, 1, 2, 3]) }, () => random.pick(roots));
    const parts = random.chance(0.03) ? [] : chosen.map((each) => this.field(each, true));
    if (parts.length === 0 || random.chance(0.03)) parts.push(random.pick(introspections));
    const name = random.chance(0.2) ? 'Asked' : '';
    const text = `query ${name}${this.declarations()} { ${parts.join(' ')} } ${this.fragments.join(' ')}`;
    return { text, variables: this.variables, bad: this.inputs.bad };
  }

  /** @param isRoot whether there may be another of its name beside it */
  private field(field: Field, isRoot = false): string {
    const { random } = this;
    const given = this.argumentsOf(field);
    const alias = isRoot || given !== '' || random.chance(0.15) ? `${this.name('a')}: ` : '';
    const directive = random.chance(0.03) ? this.directive() : '';
    return `${alias}${field.name}${given}${directive}${this.selection(field.type)}`;
  }

  private directive(): string {
    const { random } = this;
    const isKept = random.chance(0.7);
    const condition = random.chance(0.5) ? this.variable('Boolean!', isKept) : String(isKept);
    return ` @${random.pick(['include', 'skip'])}(if: ${condition})`;
  }

  private selection(of: GraphQLOutputType): string {
    const { random } = this;
    const type = getNamedType(of);
    if (!(type instanceof GraphQLObjectType)) return '';
    if (random.chance(0.03)) return ' { __typename }';
    const fields = Object.values(type.getFields());
    const leaves = fields.filter(isLeaf);
    const objects = fields.filter((each) => !isLeaf(each));
    const parts = random.some(leaves, Math.min(0.7, 2.5 / leaves.length)).map((each) => this.field(each));
    for (const each of objects) {
      // The way to the nodes costs nothing.
      const isInside = ['edges', 'node', 'properties', 'pageInfo', 'object'].includes(each.name);
      if (isInside ? random.chance(0.7) : this.more(Math.max(0.2, 1.2 / objects.length))) parts.push(this.field(each));
    }
    if (random.chance(0.1)) parts.push(random.chance(0.5) ? '__typename' : `${this.name('a')}: __typename`);
    if (parts.length === 0) parts.push(leaves.length > 0 ? this.field(random.pick(leaves)) : '__typename');
    // Shuffled, for some servers take the order for more than it is.
    if (random.chance(0.3)) parts.push(parts.shift() ?? '');
    if (random.chance(0.15)) {
      const moved = parts.splice(0, 1 + random.below(parts.length));
      parts.push(this.fragment(type.name, moved.join(' ')));
    }
    return ` { ${parts.join(' ')} }`;
  }

  private fragment(type: string, text: string): string {
    const { random } = this;
    if (random.chance(0.5)) return random.chance(0.7) ? `... on ${type} { ${text} }` : `... { ${text} }`;
    const name = this.fragmentOf(type, text);
    return random.chance(0.8) ? `...${name}` : `...${name} ...${name}`;
  }

  private argumentsOf({ args }: Field): string {
    const { random } = this;
    const given = args.flatMap((each) => {
      const isAsked = this.inputs.mustHave(each) || random.chance(each.name === 'where' ? 0.4 : 0.25);
      return isAsked ? [`${each.name}: ${this.argument(each, this.inputs.argument(each))}`] : [];
    });
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }

  /** As it stands in the query, or as a variable; what is no value of its type can only be a variable. */
  private argument({ type }: GraphQLArgument, value: Input): string {
    const isBeyondInt = typeof value === 'number' && (value >= 2 ** 31 || value < -(2 ** 31));
    if (!isBeyondInt && this.random.chance(0.7)) return printInput(value);
    return this.variable(String(type), toVariable(value));
  }
}

/** What is asked of the schema itself. */
const introspections = [
  '__typename',
  '__schema { queryType { name } }',
  '__type(name: "Person") { name fields { name type { name kind } } }',
  '__typename other: __typename __schema { directives { name } }',
];
