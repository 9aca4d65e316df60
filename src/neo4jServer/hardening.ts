/**
 * What Concord wants of the Neo4j that it works on: the third wall. A query that came past the rewriter and its auditor
 * would find here no files, no network, no procedure that runs other text, and an end to its time and memory.
 */
export interface Hardening {
  /** The setting of Neo4j. */
  setting: string;
  /** What a Neo4j that Concord starts is given, and others are advised to set. */
  value: string;
  /** What another value lets a query do. */
  risk: string;
  /** Whether a value, as `SHOW SETTINGS` writes it, is as tight. Absent where Neo4j shows the setting to nobody. */
  isTight?(value: string): boolean;
}

/** The procedures and functions of plugins that Concord calls. Those that are Neo4j's own are always there. */
const calledOfPlugins = ['apoc.version', 'apoc.date.convertFormat', 'apoc.util.validate'];

/** Those of them that need Neo4j's internals: they work on the system database, where only its administrators may write. */
const triggerProcedures = ['apoc.trigger.install', 'apoc.trigger.drop', 'apoc.trigger.show', 'apoc.trigger.list'];

/** No address, old or new. */
export const ipBlocklist: Hardening = {
  setting: 'internal.dbms.cypher_ip_blocklist',
  value: '0.0.0.0/0,::/0',
  risk: 'LOAD CSV reaches addresses of the network',
};

/** @param heap of Neo4j, as Java's -Xmx takes it */
export function hardenings(heap: string): Hardening[] {
  return [
    {
      setting: 'dbms.security.auth_enabled',
      value: 'true',
      risk: 'whoever reaches Neo4j may read and write everything',
      isTight: (value) => value === 'true',
    },
    {
      setting: 'dbms.security.allow_csv_import_from_file_urls',
      value: 'false',
      risk: 'LOAD CSV reads files of the server',
      isTight: (value) => value === 'false',
    },
    {
      setting: 'dbms.security.procedures.allowlist',
      value: [...calledOfPlugins, ...triggerProcedures].join(','),
      risk: 'plugins have procedures that read files and addresses and run other queries',
      isTight: (value) => listed(value).every((name) => [...calledOfPlugins, ...triggerProcedures].includes(name)),
    },
    {
      setting: 'dbms.security.procedures.unrestricted',
      value: triggerProcedures.join(','),
      risk: "procedures of plugins reach Neo4j's internals, beyond the rights of who calls them",
      isTight: (value) => listed(value).every((name) => name === nothing || triggerProcedures.includes(name)),
    },
    ipBlocklist,
    {
      // Of transactions that bring no limit of their own. Concord's queries and updates bring theirs.
      setting: 'db.transaction.timeout',
      value: '10m',
      risk: 'a query may run for ever',
      isTight: (value) => Number.parseFloat(value) > 0,
    },
    {
      setting: 'db.memory.transaction.max',
      value: transactionMemory(heap),
      risk: 'one query may take the memory of all',
      isTight: (value) => Number.parseFloat(value) > 0,
    },
  ];
}

/** For APOC's own configuration, which no query can read. */
export const apocHardenings: Record<string, string> = {
  'apoc.import.file.enabled': 'false',
  'apoc.import.file.allow_read_from_filesystem': 'false',
  'apoc.export.file.enabled': 'false',
  'apoc.trigger.enabled': 'true',
  'apoc.trigger.refresh': '1000',
};

/** A name that no procedure has, for where an empty list counts as not set. */
export const nothing = 'none';

/**
 * What one transaction may take, so that a single query cannot leave the others none: half the heap.
 * @param heap as Java's -Xmx takes it: `1g`, `512m`
 */
function transactionMemory(heap: string): string {
  const megabytes = Number.parseInt(heap, 10) * (heap.endsWith('g') ? 1024 : 1);
  return `${Math.ceil(megabytes / 2)}m`;
}

function listed(value: string): string[] {
  return value
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}
