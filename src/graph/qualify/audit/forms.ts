import { after, has, isRule, isTree, parseCypher, type Tree, tree, trees, type Word } from '../grammar/tree.ts';
import { refuse } from './unconfined.ts';

const forms = new Map<Tree, string>();

/** What is known of one text's pieces is of no use to the next. */
export function forget(): void {
  forms.clear();
}

/**
 * The piece as nested words, without the parentheses that don't matter: equal for what says the same. No condition is
 * as long as '…'.
 */
export function form(of: Tree | Word): string {
  if (!isTree(of)) return of.text.replaceAll('`', '');
  const known = forms.get(of);
  if (known !== undefined) return known;
  const isWrapped = of.rule === 'parenthesizedExpression' || (of.rule === 'labelExpression1' && has(of, 'LPAREN'));
  const text = joined(isWrapped ? trees(of) : of.parts);
  forms.set(of, text);
  return text;
}

function joined(parts: readonly (Tree | Word)[]): string {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return form(only);
  let text = '';
  for (const part of parts) {
    const next = form(part);
    if (next === '…' || text.length + next.length > 1000) return '…';
    text += text === '' ? next : ` ${next}`;
  }
  return `«${text}»`;
}

const templates = new Map<string, string>();
/** The form of a condition on `e`, with other names in the place of those in it. */
export function expected(condition: string, names: Record<string, string>): string {
  let known = templates.get(condition);
  if (known === undefined) {
    let at = parseCypher(`RETURN ${condition}`);
    while (at.rule !== 'returnItem') at = sole(at);
    known = form(sole(at));
    templates.set(condition, known);
  }
  return known.replace(/\b(e|p|p__certainty|g1)\b/g, (name) => names[name] ?? name);
}

/** The first piece of a rule. */
export function sole(of: Tree): Tree {
  const [first] = trees(of);
  if (first === undefined) return refuse(`an empty ${of.rule}`);
  return first;
}

export function bare(of: Tree): Tree {
  return of.rule === 'parenthesizedExpression' ? bare(sole(of)) : of;
}

export function conjuncts(of: Tree | undefined): Tree[] {
  if (of === undefined) return [];
  const inner = bare(of);
  return inner.rule === 'expression10' ? trees(inner).flatMap(conjuncts) : [inner];
}

/** The forms of what a label expression joins by this sign at its top. */
export function joinedBy(sign: 'AMPERSAND' | 'BAR', of: Tree | undefined): string[] {
  if (of === undefined) return [];
  const inner = trees(of);
  const [only] = inner;
  if (inner.length > 1) {
    const joins = of.parts.every((part) => isTree(part) || part.word === sign);
    return joins ? inner.flatMap((each) => joinedBy(sign, each)) : [form(of)];
  }
  return only?.rule.startsWith('labelExpression') && !has(of, 'EXCLAMATION_MARK') ? joinedBy(sign, only) : [form(of)];
}

export interface Read {
  variable: string;
  key: string;
}
/** What is nothing but a variable's property. */
export function readOf(of: Tree | undefined): Read | undefined {
  const [base, postfix, ...more] = of ? trees(bare(of)) : [];
  const property = of && bare(of).rule === 'expression2' && postfix && tree(postfix, 'property');
  if (base?.rule !== 'reference' || !property || more.length > 0) return undefined;
  return { variable: form(base), key: form(sole(property)) };
}

const comparing = new Set('EQ NEQ LT GT LE GE STARTS ENDS CONTAINS IN'.split(' '));
/** A comparison that is true of no property that isn't there, and fails of none. */
export function comparisonOf(of: Tree): (Read & { right: Tree }) | undefined {
  const [left, second] = trees(of);
  const test = of.rule === 'expression7' ? second : of.rule === 'expression8' && of.parts.length === 3 ? of : undefined;
  const sign = test?.parts.find((part) => !isTree(part)) as Word | undefined;
  const right = test && trees(test).at(-1);
  const read = readOf(left);
  return read && right && sign && comparing.has(sign.word) ? { ...read, right } : undefined;
}

/** What is asked to be there, by `IS NOT NULL`. */
export function presenceOf(of: Tree): Read | undefined {
  const [left, test, ...more] = trees(of);
  const isPresence = of.rule === 'expression7' && test && more.length === 0 && leaves(test) === 'ISNOTNULL';
  return isPresence ? readOf(left) : undefined;
}

/** Whether a relationship pattern matches at least one relationship. */
export function isOneOrMore(of: Tree | Word | undefined, quantifier: Tree | Word | undefined): boolean {
  if (!isRule(of, 'relationshipPattern')) return false;
  const isRepeated = isRule(quantifier, 'quantifier');
  const range = isRepeated ? quantifier : tree(of, 'pathLength');
  const said = range?.parts.map(form).join('') ?? '+';
  return isRepeated ? /^(\+|\{0*[1-9])/.test(said) : /^(\+|\*$|\*\.\.|\*0*[1-9])/.test(said);
}

/** What is asked of each relationship of a list. */
export function eachOf(of: Tree, list: string): { name: string; stand: Set<string> }[] {
  const [each, over] = trees(of);
  if (of.rule !== 'listItemsPredicate' || !has(of, 'ALL') || !each || over?.rule !== 'reference') return [];
  if (form(over) !== list) return [];
  return [{ name: form(each), stand: new Set(conjuncts(after(of, 'WHERE')).map(form)) }];
}

export const leaves = (of: Tree | Word): string => (isTree(of) ? of.parts.map(leaves).join('') : of.text);
