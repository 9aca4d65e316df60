import { readdirSync, readFileSync } from 'node:fs';

export interface Document {
  path: string;
  text: string;
}

/** Every document, by its path from the root. */
export function documents(): Document[] {
  const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((path) => `docs/${path}`);
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'examples/README.md', ...pages]
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}
