import { getOrInsert } from '../base/getOrInsert.ts';

/** What is known of English words. */
export interface Language {
  /** What a word in lower case comes of: `country` of `countries`, `border` of `bordering`, `big` of `biggest`. */
  rootOf(word: string): string;
  /** What a number in words stands for; undefined where it is none. */
  numberOf(text: string): number | undefined;
}

/** Words whose roots are kept. */
const mostKept = 20_000;

let loaded: Promise<Language> | undefined;

/** Loads English at the first question: it takes some 40 MB, which a service that nobody asks has no need of. */
export function loadLanguage(): Promise<Language> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Language> {
  const { default: nlp } = await import('compromise/three');
  const roots = new Map<string, string>();
  const rootOf = (word: string) => {
    if (!/^[a-z]{3,30}$/.test(word)) return word;
    if (irregular[word] !== undefined) return irregular[word];
    if (roots.size > mostKept) roots.clear();
    return getOrInsert(roots, word, () => regular(nlp(word).compute('root').text('root') || word));
  };
  const numberOf = (text: string) => {
    const [value] = [nlp(text).numbers().get()].flat();
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
  return { rootOf, numberOf };
}

/** Of one spelling where British and American differ, and without an ending that the library leaves. */
function regular(root: string): string {
  const spelt = root
    .replace(/bour$/, 'bor')
    .replace(/lour$/, 'lor')
    .replace(/metre$/, 'meter');
  return /(?:[^s]s)$/.test(spelt) && spelt.length > 4 && !/(?:us|is)$/.test(spelt) ? spelt.slice(0, -1) : spelt;
}

/** What the library takes for something else, alone. */
const irregular: Record<string, string> = {
  spoken: 'speak',
  speaks: 'speak',
  speaking: 'speak',
  used: 'use',
  uses: 'use',
  using: 'use',
  people: 'people',
  borders: 'border',
  bordering: 'border',
  bordered: 'border',
  neighbours: 'neighbor',
  neighboring: 'neighbor',
  neighbouring: 'neighbor',
  landlocked: 'landlocked',
  called: 'call',
  named: 'name',
  area: 'area',
  areas: 'area',
  has: 'have',
  had: 'have',
  having: 'have',
};
