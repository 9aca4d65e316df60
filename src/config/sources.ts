/** A database that Concord may look at, of one tenant. */
export interface SourceAddress {
  /** Absent: of the default one. */
  tenant?: string;
  /** Of a-z, 0-9, _ and -: it becomes part of an IRI. */
  name: string;
  kind: 'postgresql' | 'mysql' | 'neo4j' | 'pglite';
  /** With the password: it is for the driver and nobody else. */
  url: string;
}

const line = /^(?:([^/=\s]{1,200})\/)?([a-z][a-z0-9_-]{0,63})\s*=\s*(\S.*)$/;

/**
 * The databases of `SOURCES`, `name=address` or `tenant/name=address`, one a line.
 * @throws Error that tells the name and not the address, which may hold a password
 */
export function parseSources(text: string): SourceAddress[] {
  const sources: SourceAddress[] = [];
  for (const [index, given] of text.split(/\r?\n/).entries()) {
    if (given.trim() === '') continue;
    const [, tenant, name = '', url = ''] = line.exec(given.trim()) ?? [];
    if (name === '') throw new Error(`has in line ${index + 1} no name=address with a name of a-z, 0-9, _ and -`);
    if (sources.some((each) => each.tenant === tenant && each.name === name)) throw new Error(`names '${name}' twice`);
    sources.push({ ...(tenant !== undefined && { tenant }), name, url, kind: kindOf(name, url) });
  }
  return sources;
}

function kindOf(name: string, url: string): SourceAddress['kind'] {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return 'postgresql';
  if (/^(?:mysql|mariadb):\/\//.test(url) && URL.canParse(url)) return 'mysql';
  if (/^(?:neo4j|bolt)(?:\+s|\+ssc)?:\/\//.test(url) && URL.canParse(url)) return 'neo4j';
  if (/^pglite:./.test(url)) return 'pglite';
  throw new Error(`has for '${name}' neither a postgres://, mysql:// or neo4j:// address nor pglite:FOLDER`);
}
