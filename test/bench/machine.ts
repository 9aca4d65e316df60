import { cpus, loadavg, totalmem } from 'node:os';
import type { Driver } from 'neo4j-driver';

/** What the figures depend on, for whoever compares them with others. */
export async function describeMachine(driver: Driver): Promise<Record<string, string | number>> {
  const { records } = await driver.executeQuery(
    'CALL dbms.components() YIELD name, versions, edition WHERE name = "Neo4j Kernel" RETURN versions[0] + " " + edition AS neo4j',
  );
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    neo4j: String(records[0]?.get('neo4j')),
    'load before': loadAverage(),
  };
}

/** The load averages of 1, 5 and 15 minutes: other work on the machine shows here. */
export function loadAverage(): string {
  return loadavg()
    .map((average) => average.toFixed(2))
    .join(' ');
}
