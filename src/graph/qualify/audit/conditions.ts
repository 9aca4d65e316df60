import { after, isRule, isTree, type Tree, tree, trees } from '../grammar/tree.ts';
import { conjuncts, expected, form, joinedBy, type Read, sole } from './forms.ts';
import { type Binding, type Env, isNode, type Kind } from './kinds.ts';
import { type Audited, refuse } from './unconfined.ts';

export const isTenant = 'e.tenant = $ownTenant';
const isCertain = 'coalesce(e.p__certainty, 1.0) >= $ownCertainty';
const isNotPast = 'type(e) <> $ownPast';
export const isLiteral = '(e:Literal)';
/** Of an end of an edge that no pattern names, or that has no label in its own. */
export const isThere = (end: 'startNode(e)' | 'endNode(e)' | 'e') => [
  `${end}.tenant = $ownTenant`,
  `(${end}:Entity|Literal)`,
];
const wasOfType = 'coalesce(e.relationshipType IN $l1, true)';
export const wasType = 'coalesce(e.relationshipType, type(e))';

export const certainOf = ({ variable, key }: Read) =>
  expected(isCertain, { e: variable, p__certainty: `${key}__certainty` });

/** Its letters say nothing but a day or an instant. */
export const dayPattern = /^'[-\dTZ()[\]{}|.:?+]+'$/;

/** The same whichever of the literals it takes. */
const withOneList = (condition: string) => condition.replaceAll(/\bl\d+\b/g, 'l1');

/** What the caller's shape demands of nodes and edges. */
export abstract class Conditions {
  /**
   * Whether nothing but the tenant limits what is read; whether projected values are right as they are, or told by
   * their certainty.
   */
  protected readonly isUnlimited: boolean;
  protected readonly isProjectionRight: boolean;
  protected readonly isCertaintyOnly: boolean;
  /** Conditions that hold, by their form: they may stand again wherever they like. */
  protected readonly holding = new Set<string>();
  protected readonly sites = new Map<string, Tree>();

  constructor(protected readonly asked: Audited) {
    const { graphs, certainty, since, asOf, closed } = asked.shape;
    this.isProjectionRight = graphs === undefined && !certainty && !since && !asOf;
    this.isUnlimited = this.isProjectionRight && closed === undefined;
    this.isCertaintyOnly = graphs === undefined && certainty && !since && !asOf;
  }

  /** The node of `EXISTS { (v)-[e]-(o) }` with all that an edge and its other end must meet, and nothing else. */
  protected existence(of: Tree): string | undefined {
    const pattern = of.rule === 'existsExpression' ? tree(of, 'patternList') : undefined;
    const [only, ...others] = pattern ? trees(pattern) : [];
    const [anonymous, named] = only ? trees(only) : [];
    const element = anonymous?.rule === 'anonymousPattern' ? sole(anonymous) : undefined;
    if (element?.rule !== 'patternElement' || others.length > 0 || named) return undefined;
    const [node, edge, end, ...more] = element.parts.filter(isTree);
    if (!node || !isRule(edge, 'relationshipPattern') || !edge || !end || more.length > 0) return undefined;
    const [variable, labels] = trees(node);
    const where = tree(of, 'whereClause');
    const stand = new Set(conjuncts(where && after(where, 'WHERE')).map(form));
    const [other, ...ofOther] = trees(end);
    const isPlain = !tree(edge, 'pathLength') && !after(edge, 'WHERE') && ofOther.length === 0;
    const name = tree(edge, 'variable');
    if (variable?.rule !== 'variable' || labels || !isPlain || !name || other?.rule !== 'variable') return undefined;
    const atEnd = isThere('e').map((each) => expected(each, { e: form(other) }));
    if (!atEnd.every((each) => stand.has(each))) return undefined;
    this.declared(other, end);
    if (!this.qualifies(this.declared(name, edge), tree(edge, 'labelExpression'), stand)) return undefined;
    for (const each of atEnd) this.holding.add(each);
    return [...stand].every((each) => this.holding.has(each)) ? form(variable) : undefined;
  }

  /**
   * Whether these conditions are all that an edge must meet.
   * @param more what it must meet beyond that
   */
  protected qualifies(e: string, types: Tree | undefined, stand: Set<string>, more: string[] = []): boolean {
    const { shape, isOwn } = this.asked;
    const said = [...stand].filter((each) => isOwn && each.includes('recordedAt'));
    const own = said.flatMap((each) => each.match(/\bg\d+\b/g) ?? []);
    const moments = [
      ...own.map((g1) => ({ g1, by: 'time', text: 'datetime($g1)' })),
      { g1: '', by: shape.asOf, text: '$ownAsOf' },
    ];
    return moments.some(({ g1, by, text }) => {
      const demanded = [...this.edgeConditions(by, text), ...more].map((each) => expected(each, { e, g1 }));
      if (!demanded.every((each) => stand.has(each))) return false;
      if (!this.isOfType(e, types, stand, by !== false)) return false;
      for (const each of demanded) this.holding.add(each);
      return true;
    });
  }

  /** Conditions of the relationships of a path, which a guard asks once more. */
  protected allowAlong(e: string, stand: Set<string>): void {
    const { asOf } = this.asked.shape;
    const ends = [...isThere('startNode(e)'), ...isThere('endNode(e)')];
    const conditions = [...this.edgeConditions(asOf, '$ownAsOf'), ...ends, asOf ? wasOfType : isNotPast];
    const along = conditions.map((each) => expected(each, { e }));
    for (const each of stand) if (along.includes(withOneList(each))) this.holding.add(each);
  }

  protected edgeConditions(by: string | false, moment: string): string[] {
    const { certainty, since, graphs, closed } = this.asked.shape;
    const [made, ended] = by === 'time' ? ['recordedAt', 'retractedAt'] : ['revision', 'retractedRevision'];
    const inGraph = graphs?.default ? 'e.graph IS NULL' : 'e.graph IN $ownGraphs';
    const isOpen = (end: string) => `NOT coalesce(${end}(e).type IN $ownClosedClasses, false)`;
    return [
      'e.statementId IS NOT NULL',
      ...(certainty ? ['coalesce(e.certainty, 1.0) >= $ownCertainty', 'coalesce(e.certainty, 1.0) <= 1.0'] : []),
      ...(since ? ['e.observedAt >= $ownSince'] : []),
      ...(graphs ? [graphs.default && graphs.named ? `(${inGraph} OR e.graph IN $ownGraphs)` : inGraph] : []),
      ...(closed?.predicates ? ['NOT e.predicate IN $ownClosedPredicates'] : []),
      ...(closed?.classes ? [isOpen('startNode'), isOpen('endNode')] : []),
      ...(by ? [`e.${made} <= ${moment}`, `coalesce(e.${ended} > ${moment}, true)`] : []),
    ];
  }

  /** Whether these types are right for what reads the past, or are none of the past. */
  protected isOfType(e: string, types: Tree | undefined, stand: Set<string>, isPast: boolean): boolean {
    const names = joinedBy('BAR', types);
    const isNamed = types !== undefined && names.every((each) => /^[\p{L}\p{N}_]+$/u.test(each));
    if (!isPast) {
      if (types === undefined) return stand.has(expected(isNotPast, { e }));
      return (isNamed && !names.includes('PAST')) || joinedBy('AMPERSAND', types).includes('«! PAST»');
    }
    if (types === undefined) return true;
    const of = [...stand].find((each) => withOneList(each) === expected(wasOfType, { e }));
    if (of) this.holding.add(of);
    return isNamed && names.includes('PAST') && of !== undefined;
  }

  protected checkNames(of: Tree | undefined, kind: Kind): void {
    if (of === undefined) return;
    const { closed } = this.asked.shape;
    if (of.rule === 'symbolicNameString') {
      if (kind !== 'relationship' && closed?.labels.includes(form(of))) refuse('a closed label');
      if (!isNode(kind) && closed?.types.includes(form(of))) refuse('a closed type');
    }
    for (const each of trees(of)) this.checkNames(each, kind);
  }

  /** Whether this projected property is right where its statement is certain enough. */
  protected isGuarded(key: string): boolean {
    const { fields, closedProperties } = this.asked;
    return this.isCertaintyOnly && fields.get(key)?.list === false && !closedProperties.has(key);
  }

  protected declared(of: Tree | undefined, site = of, isAgain = false): string {
    const name = of ? form(of) : '';
    if (!site || !/^v[1-9]\d*$/.test(name)) return refuse("a variable's name");
    if (!isAgain && (this.sites.get(name) ?? site) !== site) return refuse('a variable that is bound twice');
    this.sites.set(name, site);
    return name;
  }

  protected binding(of: Tree, env: Env): Binding {
    return env.here.get(form(of)) ?? refuse('a variable that is not bound');
  }
}
