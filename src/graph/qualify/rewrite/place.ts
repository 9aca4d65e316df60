import { isRule, isTree, nameOf, type Tree, tree, trees } from '../grammar/tree.ts';
import { type Kind, listOf, node, path, relationship } from '../text/kinds.ts';
import type { Part, Variable } from '../text/piece.ts';
import type { Asked, Condition, Own } from './conjunction.ts';
import type { Scope } from './scope.ts';

/** What the elements of a pattern share. */
export interface Place extends Asked {
  scope: Scope;
  /** Without what the patterns bind, which a repeated path doesn't see. */
  outside: Scope;
  /** Variables that are bound or have their conditions. */
  bound: Set<Variable>;
  own: Own;
  where: Condition[];
  existence: Map<Variable, Part>;
  guards: Condition[];
  /** Whether each node must be known to be there without its relationships. */
  apart: boolean;
  /** Whether each variable stands for a list: inside of a repeated path. */
  repeated: boolean;
  /** Paths of variable length of which each relationship is asked something. */
  paths: Set<Variable>;
  /** The edges that the pattern matches, as expressions of lists. */
  edges: Part[];
}

/** A variable that a pattern binds: its name, what it is, and the repeated path that it stands in. */
export type Declared = [name: string, kind: Kind, path?: Tree];

/** The variables that a pattern binds. */
export function declared(of: Tree): Declared[] {
  return of.parts.flatMap((part, index): Declared[] => {
    if (!isTree(part)) return [];
    switch (part.rule) {
      case 'variable':
        return of.rule === 'pattern' || of.rule === 'patternComprehension' ? [[nameOf(part), path]] : [];
      case 'nodePattern':
        return trees(part, 'variable').map((each) => [nameOf(each), node]);
      case 'relationshipPattern': {
        const many = tree(part, 'pathLength') !== undefined || isRule(of.parts[index + 1], 'quantifier');
        return trees(part, 'variable').map((each) => [nameOf(each), many ? listOf(relationship) : relationship]);
      }
      case 'parenthesizedPath': {
        const inner = declared(part);
        return tree(part, 'quantifier') ? inner.map(([name, kind]) => [name, listOf(kind), part]) : inner;
      }
      case 'pattern':
      case 'anonymousPattern':
      case 'patternElement':
      case 'shortestPathPattern':
      case 'pathPatternNonEmpty':
        return declared(part);
      default:
        return [];
    }
  });
}
