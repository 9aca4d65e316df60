import { spawnSync } from 'node:child_process';

/** What `npm run test:image` builds. */
export const tag = 'localhost/concord:test';

/** Whether a command is there and ends well. */
const does = (program: string, ...words: string[]): boolean =>
  spawnSync(program, words, { stdio: 'ignore' }).status === 0;

/** Docker with its daemon; else buildah, which needs none. */
export function findBuilder(): 'docker' | 'buildah' | undefined {
  if (does('docker', 'info')) return 'docker';
  return does('buildah', '--version') ? 'buildah' : undefined;
}

/** What runs the image; undefined where it hasn't been built. */
export function findRunner(): 'docker' | 'podman' | undefined {
  if (does('docker', 'image', 'inspect', tag)) return 'docker';
  return does('podman', 'image', 'exists', tag) ? 'podman' : undefined;
}
