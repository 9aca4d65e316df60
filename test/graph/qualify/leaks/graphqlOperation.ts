import { type GraphQLField, GraphQLObjectType, type GraphQLSchema, getNamedType } from 'graphql';
import type { Random } from '../random.ts';

export type Field = GraphQLField<unknown, unknown>;

/** What the pieces of one random operation share: its names, its fragments and its variables. */
export class GraphqlOperation {
  protected readonly random: Random;
  protected readonly schema: GraphQLSchema;
  protected readonly variables: Record<string, unknown> = {};
  protected readonly fragments: string[] = [];
  private readonly declared: string[] = [];
  private made = 0;
  private left: number;

  /** @param size how many pieces it may have that hold others */
  constructor(random: Random, schema: GraphQLSchema, size: number) {
    this.random = random;
    this.schema = schema;
    this.left = size;
  }

  /** The fields that an operation may begin with; those that are there once for all classes as often as a class's. */
  protected roots(): Field[] {
    const fields = Object.values(this.schema.getQueryType()?.getFields() ?? {});
    return [...fields, ...fields.filter(({ name }) => name === 'statements')];
  }

  /** `($v1: Int)`, or nothing. */
  protected declarations(): string {
    return this.declared.length > 0 ? `(${this.declared.join(', ')})` : '';
  }

  protected name(prefix: string): string {
    this.made += 1;
    return `${prefix}${this.made}`;
  }

  /** Whether there may be another piece that holds others, with this probability. */
  protected more(probability: number): boolean {
    if (this.left <= 0 || !this.random.chance(probability)) return false;
    this.left -= 1;
    return true;
  }

  /** The name of a new fragment. */
  protected fragmentOf(type: string, text: string): string {
    const name = this.name('F');
    this.fragments.push(`fragment ${name} on ${type} { ${text} }`);
    return name;
  }

  protected variable(type: string, value: unknown): string {
    const name = this.name('v');
    this.declared.push(`$${name}: ${type}`);
    this.variables[name] = value;
    return `$${name}`;
  }
}

export function isLeaf({ type }: Field): boolean {
  return !(getNamedType(type) instanceof GraphQLObjectType);
}
