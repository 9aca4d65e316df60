import start from './start.mjs';
import stop from './stop.mjs';

/**
 * Works on the Neo4j of the environment, or on one that ends with the work, and with the process where that is told to
 * end.
 */
export async function onNeo4j<T>(work: () => Promise<T>): Promise<T> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const end = () => {
    stop()
      .catch(() => {})
      .finally(() => process.exit(1));
  };
  await start();
  for (const signal of signals) process.once(signal, end);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.off(signal, end);
    await stop();
  }
}
