import { transformSync } from '@swc/core';

/** Where the build has put a file of `src/`. */
export const builtOf = (file: string): string => file.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js');

/** The last is not in swc's own types. */
const jsc = { parser: { syntax: 'typescript' }, target: 'es2023', rewriteRelativeImportExtensions: true } as const;

/** A file of `src/` as the build would have it, but for its types, which are not looked at. */
export function compiled(text: string): string {
  return transformSync(text, { swcrc: false, jsc, module: { type: 'es6' } }).code;
}
