import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { StartupError } from '../base/errors.ts';

const header = z.object({
  rule: z.string().regex(/^[a-z][a-z0-9-]*$/, 'is lower case letters, digits and hyphens'),
  severity: z.enum(['reject', 'review', 'forbid', 'warn']),
  message: z.string().min(1),
  on: z.literal('update'),
});

/** What a match of a rule does to an update: see DESIGN, "Patches". */
export type Severity = z.infer<typeof header>['severity'];

/**
 * An alignment rule: a read-only Cypher query that returns one row (`subject, predicate, object, message`) for each
 * violation. It gets `$tenant`, `$affected` (ids of the entities touched), `$classified` (ids of entities that existed
 * and are given a class by the update), `$patches` (what the update states and retracts), `$agents` (ids of who
 * proposes) and `$agent` (`{id}`, of the one who does), and sees the graph that the update produces. Updates that are
 * committed together are checked together, but for rules that speak of `$agent`.
 */
export interface Rule {
  name: string;
  severity: Severity;
  message: string;
  cypher: string;
}

const ownRules = fileURLToPath(new URL('../../cypher/alignment/', import.meta.url));

/**
 * Loads Concord's own rules and the operator's.
 * @param folder the operator's rules: a rule of the same name takes the place of Concord's own
 * @throws StartupError naming the file and what is wrong with it
 */
export async function loadRules(folder?: string): Promise<Rule[]> {
  const rules = new Map<string, Rule>();
  for (const directory of folder === undefined ? [ownRules] : [ownRules, folder]) {
    const files = await readdir(directory).catch((error: Error) => {
      throw new StartupError(`RULES: ${directory} cannot be read (${error.message})`);
    });
    for (const file of files.filter((name) => name.endsWith('.cypher')).sort()) {
      const path = join(directory, file);
      const rule = parseRule(await readFile(path, 'utf8'), path);
      rules.set(rule.name, rule);
    }
  }
  return [...rules.values()];
}

/** @throws StartupError */
function parseRule(text: string, path: string): Rule {
  const fields: Record<string, string> = {};
  for (const [, key = '', value = ''] of text.matchAll(/^\/\/ (rule|severity|message|on): (.+)$/gm))
    fields[key] = value.trim();
  const parsed = header.safeParse(fields);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `// ${path.join('.')}: ${message}`);
    throw new StartupError(`Rule ${path}: its header is wrong. ${faults.join('; ')}`);
  }
  const cypher = text
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/;\s*$/, '')
    .trim();
  return { name: parsed.data.rule, severity: parsed.data.severity, message: parsed.data.message, cypher };
}
