// Lays out the client of dist/ as a package of its own, `concord-client`, with what it loads and nothing of the
// service.
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const built = join(root, 'dist');
const folder = join(built, 'client-package');
const entry = 'client/index';

const whole = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const others = new Set();
const files = await reached([join(built, `${entry}.js`), join(built, `${entry}.d.ts`)]);

await rm(folder, { recursive: true, force: true });
for (const file of files) {
  const copy = join(folder, relative(built, file));
  await mkdir(dirname(copy), { recursive: true });
  await copyFile(file, copy);
}
await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
await copyFile(join(root, 'docs/client.md'), join(folder, 'README.md'));
await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
console.log(relative(process.cwd(), folder));

/** The version is that of the service; so are the ranges of what it needs. */
function manifest() {
  const { version, license, engines, dependencies } = whole;
  return {
    name: 'concord-client',
    version,
    description: 'The client of Concord, a shared knowledge graph for software agents',
    license,
    type: 'module',
    engines,
    exports: { '.': { types: `./${entry}.d.ts`, default: `./${entry}.js` } },
    dependencies: Object.fromEntries([...others].sort().map((name) => [name, dependencies[name]])),
  };
}

/** These files and those that they import. */
async function reached(waiting, seen = new Set()) {
  for (const file of waiting) {
    if (seen.has(file)) continue;
    seen.add(file);
    const named = [...(await readFile(file, 'utf8')).matchAll(/(?:from|import\()\s*'([^']+)'/g)];
    for (const [, name] of named) {
      // Declarations name the sources.
      if (name.startsWith('.')) await reached([declared(file, resolve(dirname(file), name))], seen);
      else others.add(name);
    }
  }
  return seen;
}

function declared(from, to) {
  return from.endsWith('.d.ts') ? to.replace(/\.(ts|js)$/, '.d.ts') : to;
}
