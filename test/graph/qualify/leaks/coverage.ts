import { RuleTransition } from 'antlr4ng';
import { parse } from 'graphql';
import { Cypher25Parser } from '../../../../src/graph/qualify/grammar/generated/Cypher25Parser.ts';
import { isTree, parseCypher, type Tree } from '../../../../src/graph/qualify/grammar/tree.ts';
import { constructs, countNodes, countRules } from './constructs.ts';

/** What begins something that no read has. */
const unreadable = new Set(
  'command createClause insertClause setClause removeClause deleteClause mergeClause foreachClause useClause loadCSVClause'.split(
    ' ',
  ),
);

/** What the queries of a run have used: the grammar's rules, and the constructs that a run claims. */
export class Coverage {
  readonly constructs = constructs();
  private readonly used = new Map<string, number>();

  /** Counts the rules of a query in Cypher; of what is none, nothing. */
  addCypher(text: string): void {
    let rules: Set<string>;
    try {
      rules = new Set(rulesOf(parseCypher(text)));
    } catch {
      // What was mutated may be no Cypher.
      return;
    }
    for (const rule of rules) this.used.set(rule, (this.used.get(rule) ?? 0) + 1);
    countRules(this.constructs, rules);
  }

  addGraphql(text: string): void {
    countNodes(this.constructs, parse(text));
  }

  /** How often each construct was used; how many of the rules that a read can have were, and which never. */
  lines(): string[] {
    const all = [...readable()].sort();
    const unused = all.filter((rule) => !this.used.has(rule));
    return [
      `constructs: ${this.constructs}`,
      `grammar rules ${all.length - unused.length} of ${all.length}`,
      `never used: ${unused.join(' ')}`,
      `seldom used: ${all.filter((rule) => (this.used.get(rule) ?? 9) < 5).join(' ')}`,
    ];
  }
}

function* rulesOf({ rule, parts }: Tree): Generator<string> {
  yield rule === 'reference' ? 'variable' : rule;
  for (const part of parts) if (isTree(part)) yield* rulesOf(part);
}

/** The rules that can stand in a query that reads. */
function readable(): Set<string> {
  const { ruleToStartState, states } = Cypher25Parser._ATN;
  const names = Cypher25Parser.ruleNames;
  const found = new Set<string>();
  const enter = (rule: string) => {
    if (found.has(rule) || unreadable.has(rule)) return;
    found.add(rule);
    const index = names.indexOf(rule);
    for (const state of states) {
      if (state?.ruleIndex !== index) continue;
      for (const transition of state.transitions)
        if (transition instanceof RuleTransition) enter(names[transition.ruleIndex] ?? '');
    }
  };
  if (ruleToStartState.length > 0) enter('regularQuery');
  return found;
}
