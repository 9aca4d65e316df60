import type { Shape } from '../../../../src/graph/qualify/text/conditions.ts';

/** What a piece of a text becomes on purpose. */
export type Change = (piece: string) => string;

/** Writes confined texts, in which one condition, label or type may be changed. */
export class Writer {
  readonly shape: Shape;
  /** Conditions, labels and types so far. */
  count = 0;
  /** A condition that is to stand in the next clause. */
  moved: string | undefined;
  private readonly changed: number | undefined;
  private readonly change: { condition: Change; label: Change } | 'move' | undefined;
  private variables = 100;

  constructor(shape: Shape, changed?: number, change?: { condition: Change; label: Change } | 'move') {
    this.shape = shape;
    this.changed = changed;
    this.change = change;
  }

  private piece(text: string, sort: 'condition' | 'label'): string {
    if (this.count++ !== this.changed || this.change === undefined) return text;
    if (this.change !== 'move') return this.change[sort](text);
    if (sort === 'condition') this.moved = text;
    return sort === 'condition' ? 'true' : text;
  }

  condition(text: string): string {
    return this.piece(text, 'condition');
  }

  label(text: string): string {
    return this.piece(text, 'label');
  }

  variable(): string {
    return `v${this.variables++}`;
  }

  get isLimited(): boolean {
    const { graphs, certainty, since, asOf, closed } = this.shape;
    return Boolean(graphs || certainty || since || asOf || closed);
  }

  get isCertaintyOnly(): boolean {
    const { graphs, certainty, since, asOf, closed } = this.shape;
    return certainty && !graphs && !since && !asOf && !closed;
  }

  /** What an edge must meet. */
  edge(e: string, moment?: string): string[] {
    const { graphs, certainty, since, asOf, closed } = this.shape;
    const conditions: string[] = [`${e}.statementId IS NOT NULL`];
    if (certainty) {
      conditions.push(`coalesce(${e}.\`certainty\`, 1.0) >= $ownCertainty`);
      conditions.push(`coalesce(${e}.certainty, 1.0) <= 1.0`);
    }
    if (since) conditions.push(`${e}.observedAt >= $ownSince`);
    if (graphs) {
      const none = `${e}.graph IS NULL`;
      const named = `${e}.graph IN $ownGraphs`;
      conditions.push(graphs.default && graphs.named ? `(${none} OR ${named})` : graphs.default ? none : named);
    }
    if (closed?.predicates) conditions.push(`(NOT (${e}.predicate IN $ownClosedPredicates))`);
    if (closed?.classes) {
      conditions.push(`NOT coalesce(startNode(${e}).type IN $ownClosedClasses, false)`);
      conditions.push(`NOT coalesce(endNode(${e}).type IN $ownClosedClasses, false)`);
    }
    if (asOf || moment) {
      const at = moment ?? '$ownAsOf';
      const [made, ended] =
        asOf !== 'revision' || moment ? ['recordedAt', 'retractedAt'] : ['revision', 'retractedRevision'];
      conditions.push(`${e}.${made} <= ${at}`, `coalesce(${e}.${ended} > ${at}, true)`);
    }
    return conditions.map((each) => this.condition(each));
  }

  /** `[e:…]` of any type, or of some, and its conditions. */
  relationship(e: string, types: string[] = [], moment?: string): { pattern: string; where: string[] } {
    const where = this.edge(e, moment);
    const isPast = this.shape.asOf !== false || moment !== undefined;
    const named = types.map((each) => `\`${each}\``).join('|');
    if (!isPast) return { pattern: `[${e}:${named || this.label('!PAST')}]`, where };
    if (types.length === 0) return { pattern: `[${e}]`, where };
    // Without it, an edge of a moment of its own is one that holds now.
    const past = this.shape.asOf ? this.label('`PAST`') : '`PAST`';
    const ofType = this.condition(`coalesce(${e}.relationshipType IN $l1, true)`);
    return { pattern: `[${e}:${named}|${past}]`, where: [...where, ofType] };
  }

  /** What an edge of a path must meet, where no pattern names the node behind it. */
  passed(e: string, ends: ('startNode' | 'endNode')[]): string[] {
    return ends.flatMap((end) => [
      this.condition(`${end}(${e}).tenant = $ownTenant`),
      this.condition(`(${end}(${e}):Entity|Literal)`),
    ]);
  }

  /** A relationship of variable length, along its arrow or either way. */
  long(e: string, range: string, types: string[] = [], isAlong = false): { pattern: string; where: string[] } {
    const x = this.variable();
    const named = types.map((each) => `\`${each}\``).join('|');
    const { asOf } = this.shape;
    const ofType = asOf
      ? types.length > 0
        ? `coalesce(${x}.relationshipType IN $l1, true)`
        : undefined
      : types.length > 0
        ? undefined
        : `type(${x}) <> $ownPast`;
    const ends = isAlong ? (['endNode'] as const) : (['startNode', 'endNode'] as const);
    const where = [...this.edge(x), ...this.passed(x, [...ends]), ...(ofType ? [this.condition(ofType)] : [])];
    const past = asOf && named ? `|${this.label('PAST')}` : '';
    const pattern = `[${e}${named ? `:${named}${past}` : ''}${range}]`;
    return {
      pattern,
      where: where.length > 0 ? [this.condition(`all(${x} IN ${e} WHERE ${where.join(' AND ')})`)] : [],
    };
  }

  /** Whether anything qualified is said of a node. */
  said(v: string): string {
    const { pattern, where } = this.relationship(this.variable());
    const other = this.variable();
    const atEnd = [`${other}.tenant = $ownTenant`, `(${other}:Entity|Literal)`].map((each) => this.condition(each));
    return `EXISTS { (${v})-${pattern}-(${other}) WHERE ${[...where, ...atEnd].join(' AND ')} }`;
  }

  /** What an entity must meet. */
  entity(v: string, joins = false): string[] {
    const where = [this.condition(`${v}.tenant = $ownTenant`)];
    if (joins || !this.isLimited) return where;
    const isThere = this.isCertaintyOnly ? `coalesce(${v}.highest__certainty, 1.0) >= $ownCertainty` : this.said(v);
    return [...where, this.condition(isThere)];
  }

  /** What a literal, or what may be one, must meet. */
  any(v: string, joins = false): string[] {
    const where = [this.condition(`${v}.tenant = $ownTenant`)];
    if (joins) return where;
    const said = this.said(v);
    return [...where, this.condition(this.isLimited ? said : `(${v}:Entity OR ${said})`)];
  }

  get Entity(): string {
    return this.label('`Entity`');
  }

  get Any(): string {
    return this.label('(`Entity`|`Literal`)');
  }

  /** Behind a clause: where a condition that is moved stands. */
  next(...variables: string[]): string {
    const { moved } = this;
    if (moved === undefined) return '';
    this.moved = undefined;
    return ` WITH ${variables.join(', ')} WHERE ${moved}`;
  }

  /** A projected value that qualifies, or of an entity that the shape shows as it is. */
  value(v: string): string {
    if (this.isCertaintyOnly)
      return `CASE WHEN coalesce(${v}.\`name__certainty\`, 1.0) >= $ownCertainty THEN ${v}.\`name\` END`;
    const { graphs, certainty, since, asOf } = this.shape;
    return !graphs && !certainty && !since && !asOf ? `${v}.\`name\`` : `${v}.\`id\``;
  }
}

const and = (...conditions: string[][]) => conditions.flat().join(' AND ');

/** A query for each thing that a text may be made of. */
export const texts: Record<string, (to: Writer) => string> = {
  'an entity': (to) => {
    const where = and(to.entity('v1'), ['v1.`type` = $g1']);
    return `MATCH (v1:\`Person\`&${to.Entity}) WHERE ${where}${to.next('v1')} RETURN v1.\`id\` AS v2, v1.\`type\` AS v3`;
  },
  'a node of any label': (to) =>
    `MATCH (v1:${to.Any}) WHERE ${and(to.any('v1'))}${to.next('v1')} RETURN v1.id AS v2, CASE WHEN (v1:Literal) THEN v1.value ELSE null END AS v3`,
  'a literal': (to) =>
    `MATCH (v1:${to.label('`Literal`')}) WHERE ${and(to.any('v1'))}${to.next('v1')} RETURN v1.\`value\` AS v2`,
  'one relationship': (to) => {
    const { pattern, where } = to.relationship('v2', ['KNOWS', 'LIKES']);
    const all = and(to.entity('v1', true), where, to.any('v3', true));
    return `MATCH (v1:${to.Entity})-${pattern}->(v3:${to.Any}) WHERE ${all}${to.next('v1', 'v2', 'v3')} RETURN v2.\`certainty\` AS v4, startNode(v2).id AS v5`;
  },
  'relationships of any type': (to) => {
    const { pattern, where } = to.relationship('v2');
    const all = and(to.entity('v1', true), where, to.entity('v3', true));
    return `MATCH (v1:${to.Entity})<-${pattern}-(v3:${to.Entity}&!\`Robot\`) WHERE (${all})${to.next('v1', 'v2', 'v3')} RETURN count(*) AS v4, ${to.shape.asOf ? 'coalesce(v2.relationshipType, type(v2))' : 'type(v2)'} AS v5`;
  },
  'a type expression': (to) => {
    if (to.shape.asOf) return 'RETURN 1 AS v1';
    const where = and(to.entity('v1', true), to.edge('v2'), to.entity('v3', true));
    return `MATCH (v1:${to.Entity})-[v2:!\`KNOWS\`&${to.label('!PAST')}]-(v3:${to.Entity}) WHERE ${where}${to.next('v1', 'v2', 'v3')} RETURN v1.id AS v4`;
  },
  'two hops': (to) => {
    const one = to.relationship('v2', ['KNOWS']);
    const other = to.relationship('v4', ['KNOWS']);
    const where = and(to.entity('v1', true), one.where, to.entity('v3', true), other.where, to.entity('v5', true));
    return `MATCH (v1:${to.Entity})-${one.pattern}->(v3:${to.Entity})-${other.pattern}->(v5:${to.Entity}) WHERE ${where}${to.next('v1', 'v2', 'v3', 'v4', 'v5')} RETURN v5.id AS v6`;
  },
  'several patterns': (to) => {
    const { pattern, where } = to.relationship('v3', ['KNOWS']);
    const all = and(to.entity('v1'), to.entity('v2'), where);
    return `MATCH (v1:${to.Entity}), (v2:${to.Entity}), (v1)-${pattern}-(v2) WHERE ${all}${to.next('v1', 'v2', 'v3')} RETURN v1.id AS v4`;
  },
  optional: (to) => {
    const { pattern, where } = to.relationship('v2', ['KNOWS']);
    const first = to.entity('v1');
    const head = `MATCH (v1:${to.Entity}) WHERE ${and(first)}${to.next('v1')}`;
    const all = and(where, to.entity('v3', true));
    return `${head} OPTIONAL MATCH (v1)-${pattern}->(v3:${to.Entity}) WHERE ${all}${to.next('v1', 'v2', 'v3')} RETURN v1.id AS v4, v3.id AS v5`;
  },
  exists: (to) => {
    const { pattern, where } = to.relationship('v2', ['KNOWS']);
    const head = `MATCH (v1:${to.Entity}) WHERE ${and(to.entity('v1'))}`;
    return `${head} AND EXISTS { (v1)-${pattern}->(v3:${to.Entity}) WHERE ${and(where, to.entity('v3', true))} } RETURN v1.id AS v4`;
  },
  'exists of a query': (to) => {
    const { pattern, where } = to.relationship('v2', ['KNOWS']);
    const head = `MATCH (v1:${to.Entity}) WHERE ${and(to.entity('v1'))}`;
    const inner = and(where, to.entity('v3', true));
    return `${head} AND NOT EXISTS { MATCH (v1)-${pattern}->(v3:${to.Entity}) WHERE ${inner}${to.next('v2', 'v3')} RETURN v3.id AS v5 } RETURN v1.id AS v4`;
  },
  count: (to) => {
    const { pattern, where } = to.relationship('v2', ['KNOWS']);
    const head = `MATCH (v1:${to.Entity}) WHERE ${and(to.entity('v1'))}`;
    return `${head} RETURN COUNT { (v1)-${pattern}->(v3:${to.Entity}) WHERE ${and(where, to.entity('v3', true))} } AS v4`;
  },
  collect: (to) => {
    const { pattern, where } = to.relationship('v2', ['NAME']);
    const head = `MATCH (v1:${to.Entity}) WHERE ${and(to.entity('v1'))}`;
    const inner = and(where, to.any('v3', true), [
      "CASE WHEN v3.value IS :: STRING NOT NULL THEN v3.value =~ '[0-9]{4}-02-29' ELSE false END",
    ]);
    return `${head} RETURN head(COLLECT { MATCH (v1)-${pattern}->(v3:${to.label('Literal')}) WHERE ${inner}${to.next('v2', 'v3')} WITH v3.value AS v5, v2 ORDER BY coalesce(v2.certainty, 1.0) DESC, v2.observedAt DESC LIMIT 1 RETURN v5 }) AS v4`;
  },
  'a pattern comprehension': (to) => {
    const { pattern, where } = to.relationship('v2', ['KNOWS']);
    const head = `MATCH (v1:${to.Entity}) WHERE ${and(to.entity('v1'))}`;
    return `${head} RETURN [v5 = (v1)-${pattern}->(v3:${to.Entity}) WHERE ${and(where, to.entity('v3', true))} | {\`id\`: v3.id, \`many\`: length(v5)}] AS v4`;
  },
  'variable length': (to) => {
    const { pattern, where } = to.long('v2', '*1..3', ['KNOWS', 'LIKES'], true);
    const all = and(to.entity('v1', true), where, to.entity('v3', true));
    return `MATCH v4 = (v1:${to.Entity})-${pattern}->(v3:${to.Entity}) WHERE ${all}${to.next('v1', 'v2', 'v3', 'v4')} RETURN [v5 IN nodes(v4) | v5.id] AS v6`;
  },
  'variable length of any type, or none': (to) => {
    const { pattern, where } = to.long('v2', '*0..');
    const all = and(to.entity('v1'), where, to.entity('v3'));
    return `MATCH (v1:${to.Entity})-${pattern}-(v3:${to.Entity}) WHERE ${all}${to.next('v1', 'v2', 'v3')} RETURN size(v2) AS v6`;
  },
  'a quantified path': (to) => {
    const { pattern, where } = to.relationship('v3', ['KNOWS']);
    const inner = and(to.entity('v2', true), where, to.entity('v4', true));
    const ends = and(to.entity('v1'), to.entity('v5'));
    return `MATCH (v1:${to.Entity}) ((v2:${to.Entity})-${pattern}->(v4:${to.Entity}) WHERE ${inner}){0,3} (v5:${to.Entity}) WHERE ${ends}${to.next('v1', 'v2', 'v3', 'v5')} RETURN [v6 IN v2 | v6.id] AS v7, size(v3) AS v8`;
  },
  'a quantified relationship': (to) => {
    const { pattern, where } = to.relationship('v2', ['KNOWS']);
    const inline = pattern.replace(/\]$/, ` WHERE ${and(where, to.passed('v2', ['endNode']))}]`);
    const all = and(to.entity('v1', true), to.entity('v3', true));
    return `MATCH (v1:${to.Entity})-${inline}->{1,2}(v3:${to.Entity}) WHERE ${all}${to.next('v1', 'v2', 'v3')} RETURN size(v2) AS v4`;
  },
  shortestPath: (to) => {
    const { pattern, where } = to.long('v2', '*', ['KNOWS']);
    const ends = `MATCH (v1:${to.Entity}), (v3:${to.Entity}) WHERE ${and(to.entity('v1'), to.entity('v3'))}${to.next('v1', 'v3')}`;
    return `${ends} MATCH v4 = shortestPath((v1)-${pattern}-(v3))${where.length > 0 ? ` WHERE ${and(where)}` : ''}${to.next('v1', 'v2', 'v3', 'v4')} RETURN length(v4) AS v5`;
  },
  'with, unwind and a map': (to) => {
    const { pattern, where } = to.relationship('v2', ['KNOWS']);
    const all = and(to.entity('v1', true), where, to.entity('v3', true));
    const head = `MATCH (v1:${to.Entity})-${pattern}->(v3:${to.Entity}) WHERE ${all}${to.next('v1', 'v2', 'v3')}`;
    return `${head} WITH collect({\`node\`: v3, \`edge\`: v2}) AS v4, count(v1) AS v5 UNWIND v4 AS v6 WITH v6.\`node\` AS v7, v6.\`edge\` AS v8, v5 WHERE v5 > 0 RETURN collect({\`id\`: v7.id, \`graph\`: v8.graph}) AS v9, v5`;
  },
  'call and union': (to) => {
    const { pattern, where } = to.relationship('v2', ['KNOWS']);
    const head = `MATCH (v1:${to.Entity}) WHERE ${and(to.entity('v1'))}${to.next('v1')}`;
    const one = `MATCH (v1)-${pattern}->(v3:${to.Entity}) WHERE ${and(where, to.entity('v3', true))}${to.next('v1', 'v2', 'v3')} RETURN v3 AS v4`;
    const other = `MATCH (v5:${to.Entity}) WHERE ${and(to.entity('v5'))}${to.next('v1', 'v5')} RETURN v5 AS v4`;
    return `${head} CALL (v1) { ${one} UNION ${other} } CALL () { RETURN 1 AS v9 } RETURN v4 {.\`id\`, v9, \`n\`: v9} AS v6, v1.id AS v7`;
  },
  'a node again after WITH in a sub-query': (to) => {
    const { pattern, where } = to.relationship('v3', ['KNOWS']);
    const head = `MATCH (v1:${to.Entity}) WHERE ${and(to.entity('v1'))}`;
    const inner = and(to.entity('v1', true), where, to.entity('v4', true));
    return `${head} RETURN COLLECT { WITH 1 AS v2 MATCH (v1:${to.Entity})-${pattern}->(v4:${to.Entity}) WHERE ${inner}${to.next('v1', 'v3', 'v4')} RETURN v4.id AS v5 } AS v6`;
  },
  'order by tenant': (to) =>
    `MATCH (v1:${to.Entity}) WHERE ${and(to.entity('v1'))}${to.next('v1')} WITH v1 ORDER BY v1.tenant, v1.\`id\` ASC SKIP $g1 LIMIT 10 RETURN v1.id AS v2`,
  'a projected value': (to) =>
    `MATCH (v1:${to.Entity}) WHERE ${and(to.entity('v1'))}${to.next('v1')} RETURN DISTINCT ${to.value('v1')} AS v2, toUpper(${to.value('v1')}) AS v3`,
  'a comparison': (to) => {
    if (!to.isCertaintyOnly) return 'RETURN reduce(v1 = 0, v2 IN $g1 | v1 + v2) AS v3';
    const tenant = to.condition('v1.tenant = $ownTenant');
    return `MATCH (v1:${to.Entity}) WHERE ${tenant} AND (${to.condition('v1.`name` STARTS WITH $g1')} AND ${to.condition('coalesce(v1.`name__certainty`, 1.0) >= $ownCertainty')})${to.next('v1')} RETURN v1.id AS v2`;
  },
  'a condition that may fail': (to) => {
    const plain = and(to.entity('v1'));
    const again = new Writer(to.shape)
      .entity('v1')
      .join(' AND ')
      .replaceAll(/v1(\d\d)/g, 'v2$1');
    return `MATCH (v1:${to.Entity}) WHERE ${plain} AND CASE WHEN ${again} THEN 1 / size(v1.id) > $g1 ELSE false END${to.next('v1')} RETURN v1.id AS v2`;
  },
  'a moment of its own': (to) => {
    const { pattern, where } = to.relationship('v2', ['KNOWS'], 'datetime($g1)');
    const head = `MATCH (v1:${to.Entity}) WHERE ${and(to.entity('v1'))}${to.next('v1')}`;
    return `${head} MATCH (v1)-${pattern}->(v3:${to.Entity}) WHERE ${and(where, to.entity('v3', true))}${to.next('v1', 'v2', 'v3')} RETURN v3.id AS v4`;
  },
};
