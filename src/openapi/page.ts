import { groupBy } from '../base/groupBy.ts';
import type { OpenApi } from './openApi.ts';
import type { Operation } from './operation.ts';

/** The description as a page for people: without scripts, and nothing of it is loaded from elsewhere. */
export function openApiPage({ info, paths, components }: OpenApi): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]) => ({ tag: operation.tags[0], verb, path, operation })),
  );
  const byTag = groupBy(all, ({ tag }) => tag);
  const parts = [...byTag].map(([tag, each]) => `<h2>${escaped(tag)}</h2>\n${each.map(section).join('\n')}`);
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="${escaped(name)}"><summary><code>${escaped(name)}</code></summary>${code(schema)}</details>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(info.title)}: addresses</title>
<style>body{font:16px/1.4 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
details{border-top:1px solid #ccc;padding:.4rem 0}pre{background:#f4f4f4;padding:.6rem;overflow:auto}
summary{cursor:pointer}b{display:inline-block;min-width:4.5rem}</style>
<h1>${escaped(info.title)} ${escaped(info.version)}</h1>
<p>${escaped(info.description)} The same for programs: <a href="/openapi.json"><code>/openapi.json</code></a>.</p>
${parts.join('\n')}
<h2>Schemas</h2>
${schemas.join('\n')}</html>`;
}

function section({ verb, path, operation }: { verb: string; path: string; operation: Operation }): string {
  const { summary, parameters, requestBody, responses } = operation;
  const shown = [
    parameters && parameters.length > 0 && `<h3>Parameters</h3>${code(parameters)}`,
    requestBody && `<h3>Body</h3>${code(requestBody.content)}`,
    `<h3>Answers</h3>${code(responses)}`,
  ].filter(Boolean);
  return `<details><summary><b>${escaped(verb.toUpperCase())}</b> <code>${escaped(path)}</code> ${escaped(summary)}</summary>
${shown.join('\n')}</details>`;
}

/** JSON, in which references lead to the schema. */
function code(value: unknown): string {
  const text = escaped(JSON.stringify(value, undefined, 2));
  return `<pre>${text.replace(/#\/components\/schemas\/([\w.]+)/g, '<a href="#$1">$1</a>')}</pre>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}
