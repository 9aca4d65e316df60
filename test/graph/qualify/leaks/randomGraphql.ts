import {
  type GraphQLArgument,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Random } from '../random.ts';
import { type Input, printInput, toVariable, Word } from './graphqlInput.ts';
import { type Field, GraphqlOperation, isLeaf } from './graphqlOperation.ts';
import type { Terms } from './vocabularies.ts';
import { aDay, graphs, ids, values } from './world.ts';

/**
 * A random query of whatever the schema offers, in such an order, where it has a limit, that only one answer is right.
 */
export function randomGraphql(
  random: Random,
  schema: GraphQLSchema,
  terms: Terms,
): { text: string; variables: Record<string, unknown> } {
  return new Operation(random, schema, terms).make();
}

class Operation extends GraphqlOperation {
  private readonly terms: Terms;

  constructor(random: Random, schema: GraphQLSchema, terms: Terms) {
    super(random, schema, random.pick([1, 1, 2, 2, 3, 3, 4, 6]));
    this.terms = terms;
  }

  make(): { text: string; variables: Record<string, unknown> } {
    const { random } = this;
    const roots = this.roots();
    const chosen = [random.pick(roots), ...(random.chance(0.05) ? [random.pick(roots)] : [])];
    const body = chosen.map((each) => this.field(each, true)).join(' ');
    const declared = this.declarations();
    return {
      text: `${declared && `query ${declared} `}{ ${body} } ${this.fragments.join(' ')}`,
      variables: this.variables,
    };
  }

  private field(field: Field, aliased = false, ordered = false): string {
    const { random } = this;
    const { text, isOrdered } = this.argumentsOf(field);
    // The library loses the aggregate that has another name.
    const mayAlias = field.name !== 'aggregate' && (aliased || text !== '' || random.chance(0.1));
    const alias = mayAlias ? `${this.name('a')}: ` : '';
    const directive = random.chance(0.03)
      ? ` @${random.pick(['include', 'skip'])}(if: ${this.variable('Boolean!', random.chance(0.5))})`
      : '';
    return `${alias}${field.name}${text}${directive}${this.selection(field.type, isOrdered || ordered)}`;
  }

  /** @param ordered whether the objects have a certain order */
  private selection(of: GraphQLOutputType, ordered: boolean): string {
    const { random } = this;
    const type = getNamedType(of);
    if (!(type instanceof GraphQLObjectType)) return '';
    const fields = Object.values(type.getFields());
    // Slots in a list tell its order.
    const leaves = fields.filter((each) => isLeaf(each) && (ordered || each.name !== 'cursor'));
    const objects = fields.filter((each) => !isLeaf(each));
    const isWrapper = type.name.endsWith('Connection') || /(Edge|Relationship|GroupBy)$/.test(type.name);
    const parts = random.some(leaves, Math.min(0.6, 2 / leaves.length)).map((each) => this.field(each));
    for (const each of objects) {
      const isInside = isWrapper && ['edges', 'node', 'keys'].includes(each.name);
      const probability = isInside ? 0.9 : isWrapper ? 0.4 : 1.2 / objects.length;
      if (isInside ? random.chance(probability) : this.more(probability))
        parts.push(this.field(each, false, isWrapper && each.name === 'edges' && ordered));
    }
    if (parts.length === 0) {
      const [first] = leaves.length > 0 ? [random.pick(leaves)] : objects;
      parts.push(random.chance(0.1) || !first ? '__typename' : this.field(first));
    }
    if (random.chance(0.15)) {
      const moved = parts.splice(0, 1 + random.below(parts.length));
      parts.push(this.fragment(type.name, moved.join(' ')));
    }
    return ` { ${parts.join(' ')} }`;
  }

  private fragment(type: string, text: string): string {
    if (this.random.chance(0.5)) return `... on ${type} { ${text} }`;
    return `...${this.fragmentOf(type, text)}`;
  }

  private argumentsOf({ args, type }: Field): { text: string; isOrdered: boolean } {
    const { random } = this;
    const given: [string, string][] = [];
    const sort = args.find((each) => each.name === 'sort');
    const isOrdered = sort !== undefined && random.chance(0.35);
    const order = sort && isOrdered ? this.sort(sort) : undefined;
    if (sort && order) given.push(['sort', this.argument(sort, order)]);
    for (const each of args) {
      // What held at a time of its own isn't there in the database that holds nothing but what qualifies.
      if (each === sort || each.name === 'asOf') continue;
      if (each.name === 'where') {
        if (this.more(0.5)) given.push(['where', this.argument(each, this.input(each.type, each.name))]);
      } else if (sort === undefined || isOrdered) {
        if (random.chance(each.name === 'lang' ? 0.7 : 0.4))
          given.push([each.name, this.argument(each, this.paging(each, order, type))]);
      }
    }
    const text = given.map(([name, value]) => `${name}: ${value}`).join(', ');
    return { text: text && `(${text})`, isOrdered };
  }

  /** As it stands in the query, or as a variable. */
  private argument({ type }: GraphQLArgument, value: Input): string {
    return this.random.chance(0.25) ? this.variable(String(type), toVariable(value)) : printInput(value);
  }

  private paging(argument: GraphQLArgument, order: Input | undefined, type: GraphQLOutputType): Input {
    const { random } = this;
    if (argument.name === 'after' && random.chance(0.7)) return this.cursor(order, type);
    if (argument.name === 'after') return Buffer.from(`arrayconnection:${random.below(3)}`).toString('base64');
    if (argument.name === 'offset') return random.below(3);
    return this.input(argument.type, argument.name);
  }

  /** A cursor of whatever row, there or not; of a connection within it says nothing. */
  private cursor(order: Input | undefined, type: GraphQLOutputType): string {
    const { random } = this;
    const given = (Array.isArray(order) ? order : []).flatMap((each) => Object.entries(each as object));
    const fields = nodeFields(type);
    const sorted = given.map(([name, direction]) => ({
      name,
      direction: direction instanceof Word ? direction.text : '',
      of: fields?.[name]?.type,
    }));
    const told = sorted.map(({ name, of }) =>
      of && random.chance(0.85) ? this.input(of as GraphQLInputType, name) : null,
    );
    const values = told.map((each, at) =>
      getNamedType(sorted[at]?.of)?.name === 'DateTime' && each !== null ? new Date(String(each)).getTime() : each,
    );
    const said = sorted.map(({ name, direction }) => `${name} ${direction}`).join(', ');
    return Buffer.from(JSON.stringify([1, said, 0, values, random.pick(ids)])).toString('base64url');
  }

  /** An order that leaves nothing open: of entities their ids decide at last, of links their statements. */
  private sort({ type }: GraphQLArgument): Input {
    const { random } = this;
    const item = getNamedType(type) as GraphQLInputObjectType;
    const fields = item.getFields();
    const direction = () => new Word(random.pick(['ASC', 'DESC']));
    const by = (of: GraphQLInputObjectType): Input => {
      const field = random.pick(Object.values(of.getFields()));
      const inner = getNamedType(field.type);
      return { [field.name]: inner instanceof GraphQLInputObjectType ? by(inner) : direction() };
    };
    // Groups are told apart by their keys; an average may differ in its last digit, and so in its place.
    if (!fields.edge && !fields.id) return [{ count: direction() }];
    const first = Array.from({ length: random.below(3) }, () => by(item));
    return [...first, fields.edge ? { edge: { statementId: direction() } } : { id: direction() }];
  }

  private input(of: GraphQLInputType, name: string): Input {
    const { random } = this;
    const type = getNullableType(of);
    if (isListType(type)) {
      const element = isNonNullType(type.ofType) ? type.ofType.ofType : type.ofType;
      return Array.from({ length: 1 + random.below(3) }, () => this.input(element, name));
    }
    if (type instanceof GraphQLInputObjectType) return this.inputObject(type, name);
    if (isEnumType(type)) return new Word(random.pick(type.getValues()).name);
    switch (getNamedType(type).name) {
      case 'Int':
        return name === 'first' || name === 'limit' ? 1 + random.below(4) : random.pick([0, 1, 2, 20, 40]);
      case 'Float':
        // No average is this: its last digit depends on the order of what it is of.
        return name === 'average' ? random.pick([0.4321, 1.2345, 17.654]) : random.pick([0.25, 0.5, 1, 1.5, 20]);
      case 'Boolean':
        return random.chance(0.5);
      case 'DateTime':
        return random.chance(0.4) ? '2024-01-02T03:04:05Z' : new Date(aDay(random)).toISOString();
      case 'Date':
        return random.pick(['2001-02-03', '1999-12-31', '2000-06-06']);
      case 'ID':
        if (/^(contains|startsWith|endsWith)$/.test(name)) return random.pick(['e', '1', '2', 'a', '']);
        return random.pick(name === 'id' || random.chance(0.5) ? ids : ['a', 'b']);
      default:
        return this.text(name);
    }
  }

  private text(name: string): string {
    const { random, terms } = this;
    if (/^(contains|startsWith|endsWith)$/.test(name)) return random.pick(['A', 'e', 'n', 'o', 'urn', 'http', '']);
    if (name === 'lang') return random.pick(['en', 'EN', 'en-gb', 'e', 'de']);
    if (name === 'predicate') return random.pick([...terms.literals.keys()]);
    if (name === 'graph') return random.pick(graphs) ?? 'urn:g:1';
    if (name === 'type' || name === 'class') return random.pick(terms.vocabulary.classes).iri;
    return String(random.pick(random.chance(0.7) ? values.String : ids));
  }

  private inputObject(type: GraphQLInputObjectType, name: string): Input {
    const { random } = this;
    const fields = Object.values(type.getFields()).filter(
      (each) => !/JSON|Value/.test(String(each.type)) && each.deprecationReason === undefined,
    );
    const logical = fields.filter(({ name }) => ['AND', 'OR', 'NOT'].includes(name));
    const ownFields = fields.filter((each) => !logical.includes(each));
    // Filters of a value come last.
    const nested = ownFields.filter(
      ({ type: of }) => getNamedType(of) instanceof GraphQLInputObjectType && !isFilter(of),
    );
    const values = ownFields.filter((each) => !nested.includes(each));
    const chosen =
      logical.length > 0 && this.more(0.25)
        ? random.pick(logical)
        : nested.length > 0 && (this.more(0.5) || values.length === 0)
          ? random.pick(nested)
          : random.pick(values.length > 0 ? values : fields);
    // A filter tells the values by what is filtered, except for what an aggregation is asked.
    const isOwn = ['average', 'sum', 'contains', 'startsWith', 'endsWith'].includes(chosen.name);
    const inner = isFilter(type) && !isOwn ? name : chosen.name;
    const isNull = chosen.name === 'eq' && isFilter(type) && !/Aggregat/.test(type.name) && random.chance(0.15);
    const found = { [chosen.name]: isNull ? null : this.input(chosen.type, inner) };
    if (random.chance(0.85) || logical.includes(chosen)) return found;
    const other = values.filter((each) => each !== chosen);
    if (other.length === 0 || isFilter(type)) return found;
    const more = random.pick(other);
    return { ...found, [more.name]: this.input(more.type, more.name) };
  }
}

/** The fields of a connection's nodes. */
function nodeFields(type: GraphQLOutputType) {
  const inner = (of: GraphQLOutputType | undefined, name: string) => {
    const named = getNamedType(of);
    return named instanceof GraphQLObjectType ? named.getFields()[name]?.type : undefined;
  };
  const node = getNamedType(inner(inner(type, 'edges'), 'node'));
  return node instanceof GraphQLObjectType ? node.getFields() : undefined;
}

/**
 * What compares one value: `StringScalarFilters`, `IntScalarAggregationFilters`,
 * `ConnectionAggregationCountFilterInput`.
 */
function isFilter(of: GraphQLInputType): boolean {
  return /(Scalar|List)(Aggregation)?Filters$|CountFilterInput$/.test(getNamedType(of).name);
}
