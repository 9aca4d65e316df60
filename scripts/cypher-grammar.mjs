// Makes the Cypher parser of src/graph/qualify/ from Neo4j's own grammar. Does nothing where it is up to date.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const output = fileURLToPath(new URL('../src/graph/qualify/grammar/generated/', import.meta.url));
const generator = fileURLToPath(new URL('../node_modules/antlr-ng/dist/cli/runner.js', import.meta.url));
const grammarOf = (name) => require.resolve(`@neo4j-cypher/language-support/grammar/${name}.g4`);

/** The lexer's one embedded action is Java. */
function lexerGrammar(text) {
  const java = '{ if (!_modeStack.isEmpty()) popMode(); }';
  if (!text.includes(java)) throw new Error('The Cypher lexer no longer has the action that is replaced here');
  return text.replace(java, '{ if (this.modeStack.length > 0) this.popMode(); }');
}

/** Queries only: without the commands, the parser is half as large. */
function parserGrammar(text) {
  const [head = '', rest = ''] = text.split(/^statements$/m);
  const rules = new Map();
  for (const rule of `statements${rest}`.split(/^\s*;\s*$/m)) {
    const source = rule.replace(/^\s*\/\/.*$/gm, '').trim();
    const name = /^\w+/.exec(source)?.[0];
    if (name !== undefined) rules.set(name, source);
  }
  cut(rules, 'statement', 'command |');
  cut(rules, 'clause', '| composableCommandClauses');
  const reached = new Set(['statements']);
  for (const name of reached) {
    for (const [word] of rules.get(name).matchAll(/\w+/g)) if (rules.has(word)) reached.add(word);
  }
  return `${head}${[...reached].map((name) => `${rules.get(name)}\n;`).join('\n')}\n`;
}

function cut(rules, name, alternative) {
  const source = rules.get(name);
  if (!source?.includes(alternative)) throw new Error(`The Cypher rule ${name} no longer has "${alternative}"`);
  rules.set(name, source.replace(alternative, ''));
}

/**
 * Not code of ours: not checked, and imported by the names that the sources have. Its states are told apart by more
 * than a hash.
 */
function typescript(text) {
  const exact = text.replaceAll('new antlr.DFA(', 'new ExactDfa(');
  if (exact === text) throw new Error('The parser no longer makes its states in the way that is replaced here');
  const source = exact.replace(/(from "\.\/\w+)\.js"/g, '$1.ts"');
  return `// @ts-nocheck\nimport { ExactDfa } from "../exactDfa.ts";\n${source}`;
}

/**
 * The parser with one class for the pieces of all rules: with one for each, as they are made, most of the time of
 * reading goes into making objects of so many shapes. Nothing here reads them but by their rule and their children.
 */
function withOneContext(text) {
  const end = text.search(/^export class \w+Context extends/m);
  if (end < 0) throw new Error('The parser no longer has its contexts at its end');
  const parser = text
    .slice(0, end)
    .replace(
      /new (\w)(\w*)Context\(this\.context, this\.state[^)]*\)/g,
      (_, first, rest) =>
        `new RuleContext(this.context, this.state, Cypher25Parser.RULE_${first.toLowerCase()}${rest})`,
    )
    // What an alternative and a part of it are called.
    .replace(/^\s*localContext = new \w+Context\(localContext\);$/gm, '')
    .replace(/(\(localContext as \w+\)|\blocalContext)\._\w+ = /g, '');
  return `${parser}
class RuleContext extends antlr.ParserRuleContext {
  constructor(parent, state, rule) {
    super(parent, state);
    this.rule = rule;
  }
  get ruleIndex() {
    return this.rule;
  }
}
`;
}

const lexer = lexerGrammar(await readFile(grammarOf('Cypher25Lexer'), 'utf8'));
const parser = parserGrammar(await readFile(grammarOf('Cypher25Parser'), 'utf8'));
const itself = await readFile(fileURLToPath(import.meta.url));
const version = createHash('sha256').update(lexer).update(parser).update(itself).digest('hex');
const marker = join(output, 'version');

if ((await readFile(marker, 'utf8').catch(() => '')) !== version) {
  const work = await mkdtemp(join(tmpdir(), 'cypher-grammar-'));
  try {
    for (const [name, text] of [
      ['Cypher25Lexer', lexer],
      ['Cypher25Parser', parser],
    ]) {
      await writeFile(join(work, `${name}.g4`), text);
      const options = ['-D', 'language=TypeScript', '-l', 'false', '-v', 'false', '--lib', work, '-o', work];
      await promisify(execFile)(process.execPath, [
        generator,
        ...options,
        '--exact-output-dir',
        '--',
        join(work, `${name}.g4`),
      ]);
    }
    await mkdir(output, { recursive: true });
    for (const name of ['Cypher25Lexer.ts', 'Cypher25Parser.ts']) {
      const text = await readFile(join(work, name), 'utf8');
      await writeFile(join(output, name), typescript(name === 'Cypher25Parser.ts' ? withOneContext(text) : text));
    }
    await writeFile(marker, version);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
