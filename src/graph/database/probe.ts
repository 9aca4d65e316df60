import neo4j, { type Driver } from 'neo4j-driver';
import { isLost, isStarting } from './away.ts';
import type { Probes } from './breaker.ts';

/**
 * Asks a database for a 1. Whatever it answers, a fault too, it is there, unless it is starting still.
 * @param open makes a driver of one connection
 */
export function probesOf(pool: Driver, open: () => Driver, database: string): Probes {
  return {
    pooled: () => ask(pool, database),
    async fresh() {
      const driver = open();
      try {
        await ask(driver, database);
      } finally {
        driver.close().catch(() => {});
      }
    },
  };
}

async function ask(driver: Driver, database: string): Promise<void> {
  const session = driver.session({ database, defaultAccessMode: neo4j.session.READ });
  try {
    await session.run('RETURN 1');
  } catch (error) {
    if (isLost(error) || isStarting(error)) throw error;
  } finally {
    session.close().catch(() => {});
  }
}
