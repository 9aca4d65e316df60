import { rm } from 'node:fs/promises';

/** Stops what start.mjs started, and removes its data. */
export default async function stop() {
  const { server, directory } = globalThis.sharedNeo4j;
  await server.close();
  if (directory) await rm(directory, { recursive: true, force: true });
}
