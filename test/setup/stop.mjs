import { rm } from 'node:fs/promises';

/** Stops what start.mjs started, and removes its data. */
export default async function stop() {
  const { servers, directories } = globalThis.sharedNeo4j ?? { servers: [], directories: [] };
  await Promise.all(servers.map((server) => server.close()));
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
}
