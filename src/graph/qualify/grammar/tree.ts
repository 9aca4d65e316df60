import {
  BailErrorStrategy,
  BaseErrorListener,
  CharStream,
  CommonTokenStream,
  DefaultErrorStrategy,
  ParseCancellationException,
  ParserRuleContext,
  PredictionMode,
  TerminalNode,
  Token,
} from 'antlr4ng';
import { Cypher25Lexer } from './generated/Cypher25Lexer.ts';
import { Cypher25Parser } from './generated/Cypher25Parser.ts';
import { type Position, RefusedCypher } from './refusedCypher.ts';
import { checkWords } from './textLimits.ts';

/** A word of the query: a keyword, name, number, string or sign. */
export interface Word {
  /** The lexer's name for it: `MATCH`, `LPAREN`. */
  word: string;
  text: string;
  position: Position;
}

/** A piece of the query as the grammar reads it. An expression that is nothing but another one stands for it. */
export class Tree {
  /** The grammar's rule: `matchClause`. A variable that is read is a `reference`, one that is named a `variable`. */
  readonly rule: string;
  readonly parts: readonly (Tree | Word)[];
  private readonly start: Token | null;
  private readonly stop: Token | null;

  constructor(rule: string, parts: readonly (Tree | Word)[], { start, stop }: ParserRuleContext) {
    this.rule = rule;
    this.parts = parts;
    this.start = start;
    this.stop = stop;
  }

  get position(): Position {
    return { line: this.start?.line ?? 1, column: (this.start?.column ?? 0) + 1 };
  }

  /** The piece as it was written: for names and messages, never for what is sent. */
  get source(): string {
    const { start, stop } = this;
    // The offsets count code points, as the stream does.
    return start && stop ? (start.inputStream?.getTextFromRange(start.start, stop.stop) ?? '') : '';
  }
}

/**
 * Reads Cypher by Neo4j's own grammar.
 * @param isLimited whether it is held to the limits of what a caller writes
 * @throws RefusedCypher where it is none
 * @throws LimitExceeded where it has too many words or is nested too deeply
 */
export function parseCypher(text: string, isLimited = false): Tree {
  const lexer = new Cypher25Lexer(CharStream.fromString(text));
  lexer.removeErrorListeners();
  const tokens = new CommonTokenStream(lexer);
  if (isLimited) {
    tokens.fill();
    checkWords(tokens.getTokens());
  }
  const parser = new Cypher25Parser(tokens);
  parser.removeErrorListeners();
  // SLL reads nearly everything and is many times faster; what it fails on is read again in full.
  parser.interpreter.predictionMode = PredictionMode.SLL;
  parser.errorHandler = new BailErrorStrategy();
  try {
    return treeOf(parser.statements());
  } catch (error) {
    if (!(error instanceof ParseCancellationException)) throw error;
  }
  tokens.seek(0);
  parser.reset();
  parser.interpreter.predictionMode = PredictionMode.LL;
  parser.errorHandler = new DefaultErrorStrategy();
  parser.addErrorListener(new Refusing());
  return treeOf(parser.statements());
}

/** What a query may begin with that is none. */
const commands = new Set(
  'ALTER CYPHER DENY DROP EXPLAIN GRANT PROFILE RENAME REVOKE SHOW START STOP TERMINATE'.split(' '),
);

class Refusing extends BaseErrorListener {
  override syntaxError(_: unknown, token: Token | null, line: number, column: number): void {
    const text = token?.text ?? '';
    const position = { line, column: column + 1 };
    if (commands.has(text.toUpperCase())) throw new RefusedCypher(`the command ${text.toUpperCase()}`, position);
    const found = text === '<EOF>' ? 'end of the query' : `"${text}"`;
    throw new RefusedCypher(`this syntax: unexpected ${found}`, position);
  }
}

const names = Cypher25Parser.ruleNames;
const isExpression = names.map((name) => name.startsWith('expression'));

function treeOf(context: ParserRuleContext): Tree {
  let inner = context;
  while (inner.children.length === 1 && isExpression[inner.ruleIndex]) {
    const [only] = inner.children;
    if (!(only instanceof ParserRuleContext)) break;
    inner = only;
  }
  const rule = names[inner.ruleIndex] ?? '';
  const isReference = rule === 'variable' && inner !== context;
  return new Tree(isReference ? 'reference' : rule, partsOf(inner), inner);
}

function partsOf({ children }: ParserRuleContext): (Tree | Word)[] {
  const parts: (Tree | Word)[] = [];
  for (const child of children) {
    if (child instanceof ParserRuleContext) parts.push(treeOf(child));
    else if (child instanceof TerminalNode && child.symbol.type !== Token.EOF) parts.push(wordOf(child.symbol));
  }
  return parts;
}

function wordOf(symbol: Token): Word {
  return {
    word: Cypher25Parser.symbolicNames[symbol.type] ?? '',
    text: symbol.text ?? '',
    position: { line: symbol.line, column: symbol.column + 1 },
  };
}

export function isTree(part: Tree | Word): part is Tree {
  return part instanceof Tree;
}

/** Whether it is a piece of this rule. */
export function isRule(part: Tree | Word | undefined, rule: string): part is Tree {
  return part !== undefined && isTree(part) && part.rule === rule;
}

/** The sub-trees of a rule, or all. */
export function trees(tree: Tree, rule?: string): Tree[] {
  return tree.parts.filter((part): part is Tree => isTree(part) && (rule === undefined || part.rule === rule));
}

export function tree(of: Tree, rule: string): Tree | undefined {
  return trees(of, rule)[0];
}

/** Whether this word stands directly in the piece. */
export function has(of: Tree, word: string): boolean {
  return of.parts.some((part) => !isTree(part) && part.word === word);
}

/** The first sub-tree after this word. */
export function after(of: Tree, word: string): Tree | undefined {
  const at = of.parts.findIndex((part) => !isTree(part) && part.word === word);
  return at < 0 ? undefined : of.parts.slice(at + 1).find(isTree);
}

/** A name without its quotes. */
export function nameOf(of: Tree): string {
  const text = of.source;
  return text.startsWith('`') ? text.slice(1, -1).replaceAll('``', '`') : text;
}

/** The piece with single spaces and without comments. */
export function plain(of: Tree | Word): string {
  return isTree(of) ? of.parts.map(plain).join(' ') : of.text;
}
