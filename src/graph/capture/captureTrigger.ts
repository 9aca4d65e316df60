import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Neo4jError } from 'neo4j-driver';
import type { Database } from '../database/database.ts';
import { systemLabels, systemTypes } from '../names/names.ts';
import type { CaptureState, EditSource } from './editSource.ts';

const file = new URL('../../../cypher/capture/trigger.cypher', import.meta.url);
const triggerName = 'concord';

/** Longer than APOC waits by itself (`apoc.trigger.refresh`) before it looks for new triggers. */
const patienceMs = 65_000;

/** What becomes of edits by hand: they are taken as statements, or those of what Concord keeps are refused as well. */
export type CaptureMode = 'report' | 'enforce';

/** What the trigger is installed with. */
interface TriggerSettings {
  mode: CaptureMode;
  /** Whose the edits are that belong to no tenant. */
  tenant: string;
}

export interface Installing {
  /** Does the work while no other replica does such. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the wait for the trigger. */
  signal?: AbortSignal | undefined;
}

/** Edits that a trigger of APOC writes down, inside of the transaction that makes them. */
export class TriggerSource implements EditSource {
  constructor(
    private readonly database: Database,
    private readonly settings: TriggerSettings & Pick<Installing, 'alone'>,
  ) {}

  open(signal?: AbortSignal): Promise<CaptureState> {
    return installTrigger(this.database, this.settings, { alone: this.settings.alone, signal });
  }

  state(): Promise<CaptureState> {
    return triggerState(this.database);
  }

  /** They are when they are committed. */
  async writeDown(): Promise<void> {}
}

/** Labels of what only Concord writes: edits of an entity or a literal are statements. */
export const guardedLabels = [...systemLabels].filter((label) => label !== 'Entity' && label !== 'Literal');
/** Relationship types of what only Concord writes, but history, which is put right. */
export const guardedTypes = [...systemTypes].filter((type) => type !== 'PAST');

/**
 * Sees to it that the trigger of APOC is there, as it is to be, and at work. APOC doesn't lock: of replicas that install
 * it at once each would make one, and of two of one name APOC runs none, nor any other, until both are gone.
 */
async function installTrigger(
  database: Database,
  { mode, tenant }: TriggerSettings,
  { alone, signal }: Installing,
): Promise<CaptureState> {
  const query = await readFile(file, 'utf8');
  const params = {
    tenant,
    enforce: mode === 'enforce',
    systemLabels: guardedLabels,
    systemTypes: guardedTypes,
  };
  const isAtWork = async () =>
    (await installed(database)).some((each) => each.query === query && isDeepStrictEqual(each.params, params));
  return attempted(async () => {
    // What is at work is known to APOC a moment later than what is there.
    if ((await timesThere(database)) === 1 && (await isAtWork())) return;
    await alone(async () => {
      if ((await timesThere(database)) > 1) await drop(database);
      await database.administer(
        `CALL apoc.trigger.install($database, $name, $query, {phase: 'before'}, {params: $params}) YIELD name RETURN name`,
        { database: database.name, name: triggerName, query, params },
      );
    });
    for (const end = Date.now() + patienceMs; !(await isAtWork()); ) {
      if (Date.now() > end) throw new Error(`APOC has not taken up its trigger within ${patienceMs / 1_000} s`);
      await sleep(50, undefined, { signal });
    }
  });
}

/** Takes the trigger away, where it is. */
export function removeTrigger(database: Database): Promise<CaptureState> {
  return attempted(async () => {
    if ((await installed(database)).length === 0) return;
    await drop(database);
  });
}

/** All of its name. */
async function drop(database: Database): Promise<void> {
  await database.administer('CALL apoc.trigger.drop($database, $name) YIELD name RETURN name', {
    database: database.name,
    name: triggerName,
  });
}

/** How often it is there, at work or not. */
async function timesThere(database: Database): Promise<number> {
  const all = await database.administer<{ name: string }>('CALL apoc.trigger.show($database) YIELD name RETURN name', {
    database: database.name,
  });
  return all.filter(({ name }) => name === triggerName).length;
}

/** Whether a trigger of Concord's is at work, as far as Concord's user may see. */
export function triggerState(database: Database): Promise<CaptureState> {
  return attempted(async () => {
    if ((await installed(database)).length === 0) throw new Error('no trigger of Concord is installed; start Concord');
  });
}

interface Installed {
  query: string;
  params: Record<string, unknown>;
}

function installed(database: Database): Promise<Installed[]> {
  return database.run<Installed>(
    'READ',
    `CALL apoc.trigger.list() YIELD name, query, params, installed, paused
     WHERE name = $name AND installed AND NOT paused RETURN query, params`,
    { name: triggerName },
  );
}

const procedures = 'apoc.trigger.install, .drop, .show and .list and apoc.util.validate';

async function attempted(work: () => Promise<void>): Promise<CaptureState> {
  try {
    await work();
    return { isSeen: true };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // A Neo4j that is away, and whoever has ended the wait.
    if (error.name === 'AbortError' || (error instanceof Neo4jError && !error.code.startsWith('Neo.ClientError.')))
      throw error;
    return { isSeen: false, why: remedyOf(error.message) };
  }
}

/** What to do about why a trigger cannot be used. */
function remedyOf(message: string): string {
  const [line = ''] = message.split('\n');
  if (message.includes('Triggers have not been enabled'))
    return 'set apoc.trigger.enabled=true in apoc.conf and restart Neo4j';
  if (/no procedure with the name|ProcedureNotFound/i.test(message))
    return `see that dbms.security.procedures.allowlist has ${procedures}, dbms.security.procedures.unrestricted those of apoc.trigger, and restart Neo4j`;
  return line;
}
