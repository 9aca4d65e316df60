/** A fenced block of a document. */
export interface Block {
  /** What stands behind the fence: the language, and what the block is. */
  language: string;
  role: string;
  text: string;
  line: number;
  /** Why it isn't run; undefined where it is. */
  notRun: string | undefined;
}

const fence = /^(?:<!-- not run: (.*) -->\n)?```(\w*) ?(.*)\n([\s\S]*?)^```$/gm;

/** The examples of a page; pictures are none. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(fence)]
    .map(({ 1: notRun, 2: language = '', 3: role = '', 4: text = '', index }) => ({
      notRun,
      language,
      role,
      text,
      line: page.slice(0, index).split('\n').length,
    }))
    .filter(({ language }) => language !== 'mermaid');
}

/** The settings of a page's own service: `<!-- service: NAME=value -->`. */
export function settingsOf(page: string): Record<string, string> | undefined {
  const [, settings] = page.match(/^<!-- service: (.*) -->$/m) ?? [];
  return settings === undefined ? undefined : Object.fromEntries(settings.split(' ').map((pair) => pair.split('=')));
}

/** What an answer says each time: ids, times and places in the log are others in every graph. */
export function steady(text: string): unknown {
  const same = text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/("(?:revision|sequence|durationMs|databaseMs)": ?)[\d.]+/g, (_, key) => `${key}0`)
    .replace(/(at revision )\d+/g, (_, said) => `${said}0`)
    .replace(/("traceId": ?")[0-9a-f]{32}/g, '$1<trace>')
    .replace(/^id: \d+$/gm, 'id: 0')
    .trim();
  try {
    return JSON.parse(same);
  } catch {
    return same;
  }
}
