const { createHash } = require('node:crypto');
const { join } = require('node:path');

const root = join(__dirname, '../..');
const source = join(root, 'src/');

/** Loads a module as Node does, once for a worker: what is in `src/` as it was built. */
function load(file) {
  return require(file.startsWith(source) ? file.replace(source, join(root, 'dist/')).replace(/\.ts$/, '.js') : file);
}

// Test files run in the same realm (oneRealm.cjs).
const name = 'loadSharedModule';
globalThis[name] = load;

/** What stands in the place of a module, for those that a test file imports. */
function standIn(text, file, { supportsStaticESM, supportsDynamicImport }) {
  // Jest loads its own parts so, for which this isn't.
  if (!supportsDynamicImport) return text;
  const loaded = `${name}(${JSON.stringify(file)})`;
  if (!supportsStaticESM) return `module.exports = ${loaded};`;
  const names = Object.keys(load(file)).map((each) => JSON.stringify(each));
  const values = names.map((each, index) => `const _${index} = loaded[${each}];`);
  const exported = names.map((each, index) => `_${index} as ${each}`);
  return `const loaded = ${loaded};\n${values.join('\n')}\nexport { ${exported.join(', ')} };\n`;
}

/**
 * A transformer of Jest that has test files share what isn't their own: `src/` and the packages are loaded once for all
 * files of a worker and not anew for each, which takes a second and more, and lets them be as quick as in a service that
 * runs for a while. So nothing that a module remembers may tell one file from the next.
 */
module.exports = {
  getCacheKey: (...module) =>
    createHash('sha256')
      .update(standIn(...module))
      .digest('hex'),
  process: (...module) => ({ code: standIn(...module) }),
};
