import { distance } from '../graph/search/likeness.ts';
import { editsFor, folded } from '../graph/search/words.ts';
import type { ClassDefinition, Field, Vocabulary } from '../vocabulary/vocabulary.ts';
import type { Language } from './language.ts';
import type { Token } from './words.ts';

/** What a word or several may name. */
export type Term = { kind: 'class'; class: string } | { kind: 'field'; class: string; field: Field };

/** A term where it stands in a question. */
export interface TermMatch {
  term: Term;
  /** Tokens. */
  length: number;
  /** 0 for the name or an alias, more the less sure. */
  cost: number;
}

interface Entry {
  roots: string[];
  term: Term;
  cost: number;
}

const costs = { description: 0.3, misspelt: 0.6 };
/** Words of a description that are one way to say it. */
const longestPhrase = 6;

/** The words for the classes and fields of a vocabulary. */
export class Lexicon {
  private readonly byFirst = new Map<string, Entry[]>();
  private readonly entries: Entry[] = [];

  constructor(
    readonly vocabulary: Vocabulary,
    private readonly language: Language,
    /** Whether it is of tables: a foreign key says that the one belongs to the other, whichever word says so. */
    readonly ofTables = false,
  ) {
    for (const each of vocabulary.classes) {
      this.add(namesOf(each.name, each.iri, each.aliases), each.description, { kind: 'class', class: each.name });
      for (const field of each.fields) {
        const iri = field.kind === 'inverse' ? field.name : field.predicate;
        const aliases = field.kind === 'inverse' ? [] : field.aliases;
        const term: Term = { kind: 'field', class: each.name, field };
        this.add(namesOf(field.name, iri, aliases), field.description, term);
      }
    }
  }

  classOf(name: string): ClassDefinition {
    const found = this.vocabulary.classes.find((each) => each.name === name);
    if (!found) throw new Error(`The vocabulary has no class "${name}"`);
    return found;
  }

  /** Whether a word comes of another: `hired` of `hire`. */
  isRootOf({ root }: Token, word: string): boolean {
    return root === this.language.rootOf(word);
  }

  /** What may begin at a token, also misspelt where nothing is written so. */
  termsAt(tokens: readonly Token[], at: number): TermMatch[] {
    const first = tokens[at];
    if (!first || first.quoted) return [];
    const exact = (this.byFirst.get(first.root) ?? []).flatMap(({ roots, term, cost }) =>
      roots.every((root, index) => tokens[at + index]?.root === root) ? [{ term, cost, length: roots.length }] : [],
    );
    if (exact.length > 0) return exact;
    return this.misspelt(tokens, at);
  }

  /** What a word is nearest to, for who is told that it isn't known. */
  nearest(word: string): string[] {
    const near = this.entries.filter(({ roots: [root = ''] }) => distance(word, root, 3) !== undefined);
    return [...new Set(near.map(({ roots }) => roots.join(' ')))].slice(0, 3);
  }

  private misspelt(tokens: readonly Token[], at: number): TermMatch[] {
    const like = (root: string, token: Token | undefined) => {
      if (!token || token.quoted) return undefined;
      if (token.root === root) return 0;
      // Another first letter makes another word: a station is no nation.
      if (token.word.length < 5 || token.root[0] !== root[0]) return undefined;
      return distance(token.root, root, editsFor(token.root));
    };
    return this.entries.flatMap(({ roots, term, cost }) => {
      const edits = roots.map((root, index) => like(root, tokens[at + index]));
      const sum = edits.reduce<number>((total, each) => total + (each ?? Number.POSITIVE_INFINITY), 0);
      return sum <= 2 ? [{ term, length: roots.length, cost: cost + costs.misspelt * sum }] : [];
    });
  }

  private add(names: string[], description: string | undefined, term: Term): void {
    const ways = [
      ...names.map((name) => ({ name, cost: 0 })),
      ...phrasesOf(description).map((name) => ({ name, cost: costs.description })),
    ];
    const known = new Set<string>();
    for (const { name, cost } of ways) {
      const roots = (folded(name).match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => this.language.rootOf(word));
      const [first] = roots;
      if (first === undefined || known.has(roots.join(' '))) continue;
      known.add(roots.join(' '));
      const entry = { roots, term, cost };
      this.entries.push(entry);
      this.byFirst.set(first, [...(this.byFirst.get(first) ?? []), entry]);
    }
  }
}

/** `officialName` → `official Name` */
export function inWords(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
}

function namesOf(name: string, iri: string, aliases: string[] = []): string[] {
  const local = iri.split(/[/#:]/).at(-1) ?? '';
  return [inWords(name), inWords(local), ...aliases];
}

/** What a description says in a few words, each part for itself. */
function phrasesOf(description = ''): string[] {
  return description
    .split(/[.,;:]/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && part.split(/\s+/).length <= longestPhrase);
}
