import { Neo4jError } from 'neo4j-driver';
import { type Hardening, hardenings, ipBlocklist } from '../../neo4jServer/hardening.ts';
import { isTimedOut } from '../database/away.ts';
import type { Database } from '../database/database.ts';

/** How a setting of a running Neo4j compares with what Concord wants of it. */
interface Finding extends Pick<Hardening, 'setting' | 'risk'> {
  state: 'tight' | 'loose' | 'unknown';
  /** What it is; absent where Neo4j doesn't show it. */
  value?: string;
  wanted: string;
}

/** Of the blocks kept for documentation: nobody has them. */
const strangers = ['http://192.0.2.1/', 'http://[2001:db8::1]/'];

/** More than Neo4j waits for a connection. */
const patienceMs = 5_000;

/**
 * Compares a running Neo4j with what Concord wants. What its user may not see is `unknown`.
 * Neo4j shows its blocklist of addresses to nobody, so that is tried: by `LOAD CSV` from addresses that nobody has.
 * @param heap for the memory that it advises
 */
export async function inspect(database: Database, heap: string): Promise<Finding[]> {
  const wanted = hardenings(heap);
  const [shown, blocks] = await Promise.all([shownSettings(database, wanted), blocksAddresses(database)]);
  return wanted.map(({ setting, value: wantedValue, risk, isTight }) => {
    const value = shown.get(setting);
    const tight = setting === ipBlocklist.setting ? blocks : value !== undefined && isTight?.(value);
    const isKnown = setting === ipBlocklist.setting ? blocks !== undefined : value !== undefined;
    return {
      setting,
      state: !isKnown ? 'unknown' : tight ? 'tight' : 'loose',
      ...(value !== undefined && { value }),
      wanted: wantedValue,
      risk,
    };
  });
}

/** One line for people, with what to do. */
export function lineOf({ setting, state, value, wanted, risk }: Finding): string {
  const is = value === undefined ? '' : ` is ${value === '' ? 'empty' : value}`;
  const remedy = `set ${setting}=${wanted} in neo4j.conf and restart Neo4j`;
  if (state === 'tight') return `tight: ${setting}${is}`;
  if (state === 'loose') return `loose: ${setting}${is}: ${risk}; ${remedy}`;
  return `unknown: ${setting} is not shown to Concord's user; see that it is ${wanted || 'empty'}, for else ${risk}`;
}

async function shownSettings(database: Database, wanted: Hardening[]): Promise<Map<string, string>> {
  try {
    const rows = await database.run<{ name: string; value: string | null }>(
      'READ',
      'SHOW SETTINGS YIELD name, value WHERE name IN $names RETURN name, value',
      { names: wanted.map(({ setting }) => setting) },
    );
    return new Map(rows.map(({ name, value }) => [name, value ?? '']));
  } catch (error) {
    if (error instanceof Neo4jError && error.code.startsWith('Neo.ClientError.')) return new Map();
    throw error;
  }
}

/** Whether Cypher is kept from every address; undefined where that cannot be told. */
async function blocksAddresses(database: Database): Promise<boolean | undefined> {
  const answers = await Promise.all(strangers.map((address) => isBlocked(database, address)));
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

async function isBlocked(database: Database, address: string): Promise<boolean | undefined> {
  try {
    const load = 'LOAD CSV FROM $address AS line RETURN count(line) AS lines';
    await database.read(async (tx) => tx.run(load, { address }), patienceMs);
    return false;
  } catch (error) {
    if (!(error instanceof Neo4jError)) throw error;
    // Who has no right to LOAD gets nowhere either.
    if (error.code.startsWith('Neo.ClientError.Security.')) return true;
    if (error.code === 'Neo.ClientError.Statement.ExternalResourceFailed')
      return error.message.includes(ipBlocklist.setting);
    return isTimedOut(error) ? false : undefined;
  }
}
