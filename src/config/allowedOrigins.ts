/**
 * The origins of a setting, as browsers write them in the header `Origin`.
 * @param text comma-separated, each `https://app.example.org` or `http://localhost:3000`
 * @throws Error naming the entry that is none
 */
export function parseOrigins(text: string): ReadonlySet<string> {
  const origins = new Set<string>();
  for (const entry of text.split(',').map((each) => each.trim())) {
    if (entry === '') continue;
    const origin = URL.canParse(entry) ? new URL(entry).origin : 'null';
    if (!/^https?:[^*]+$/.test(origin) || origin !== entry.toLowerCase()) throw notOrigin(entry, origin);
    origins.add(origin);
  }
  return origins;
}

function notOrigin(entry: string, origin: string): Error {
  const hint = entry.includes('*') ? '; name each, for * would let any web page in' : '';
  const meant = /^https?:[^*]+$/.test(origin) ? `; ${origin} is one` : '';
  return new Error(`'${entry}' is no origin as browsers write one${hint}${meant}`);
}
