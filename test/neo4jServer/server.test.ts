import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { findProgram } from '../../src/neo4jServer/programs.ts';
import { type Neo4jServer, startNeo4j } from '../../src/neo4jServer/server.ts';
import { neo4jSettings } from '../support/service.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'concord-server-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const silent = () => {};

function start(settings: Record<string, string>, environment = process.env): Promise<Neo4jServer> {
  return startNeo4j(readConfig({ DATA_DIR: directory, ...settings }), silent, environment);
}

/** A directory for PATH with a real Java on it and a Maven that is the given script, or none. */
function javaAnd(maven?: string): string {
  const path = mkdtempSync(join(directory, 'path-'));
  symlinkSync(findProgram('java', process.env) ?? '', join(path, 'java'));
  if (maven) writeFileSync(join(path, 'mvn'), `#!/bin/sh\n${maven}\n`, { mode: 0o755 });
  return path;
}

describe('a Neo4j that cannot be started', () => {
  const ways = 'Install Java 17 or 21 and Maven, or start Docker, or set NEO4J_URI to a Neo4j that runs.';

  it('for want of Java is told with the ways out', async () => {
    await expect(start({ NEO4J_SERVER: 'embedded' }, { PATH: '' })).rejects.toThrow(
      `Neo4j cannot be started: there is no java on the PATH. ${ways}`,
    );
  });

  it('because Java is too old is told with its version', async () => {
    const java = join(mkdtempSync(join(directory, 'old-')), 'java');
    writeFileSync(java, '#!/bin/sh\necho \'openjdk version "11.0.22"\' >&2\n', { mode: 0o755 });
    await expect(start({ NEO4J_SERVER: 'embedded' }, { PATH: join(java, '..') })).rejects.toThrow(
      `${java} is Java 11, and Neo4j needs Java 17 or 21.`,
    );
  });

  it('for want of Maven and jars is told', async () => {
    await expect(start({ NEO4J_SERVER: 'embedded' }, { PATH: javaAnd() })).rejects.toThrow(
      `there is no mvn on the PATH to fetch Neo4j with. ${ways}`,
    );
  });

  it("because Maven fails is told in Maven's words, and the data directory is free again", async () => {
    const path = javaAnd("echo '[ERROR] Could not transfer artifact: Connection refused'; exit 1");
    for (const _ of ['once', 'again']) {
      await expect(start({ NEO4J_SERVER: 'embedded', NEO4J_BOLT_PORT: '0' }, { PATH: path })).rejects.toThrow(
        'Maven could not fetch Neo4j: Could not transfer artifact: Connection refused. Check the network',
      );
    }
  });

  it('because a port that is set is taken is told with the setting', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
    });
    try {
      const settings = { NEO4J_SERVER: 'embedded', NEO4J_BOLT_PORT: '0', NEO4J_HTTP_PORT: String(port) };
      await expect(start(settings)).rejects.toThrow(
        `Port ${port} is taken. Set NEO4J_HTTP_PORT to a free port, or to 0 for any.`,
      );
    } finally {
      other.close();
    }
  });

  it('because DATA_DIR is a file is told', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    await expect(start({ NEO4J_SERVER: 'embedded', DATA_DIR: file })).rejects.toThrow('DATA_DIR cannot be used');
  });
});

describe('a Neo4j that runs elsewhere', () => {
  const { NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD } = neo4jSettings;
  const shared = { NEO4J_URI, NEO4J_USER, ...(NEO4J_PASSWORD ? { NEO4J_PASSWORD } : {}) };

  const itSecured = NEO4J_PASSWORD ? it : it.skip;

  it('is used as it is, and not stopped', async () => {
    for (const _ of ['once', 'again']) {
      const server = await start(shared);
      expect(server).toMatchObject({ kind: 'external', uri: NEO4J_URI, user: NEO4J_USER });
      await server.close();
    }
  });

  itSecured('and refuses the password is told', async () => {
    await expect(start({ ...shared, NEO4J_PASSWORD: 'not the password' })).rejects.toThrow(
      `Neo4j at ${NEO4J_URI} refuses user '${NEO4J_USER}' with this password.`,
    );
  });

  itSecured('and asks for a password that is not set is told', async () => {
    await expect(start({ NEO4J_URI })).rejects.toThrow(`Neo4j at ${NEO4J_URI} asks for a password.`);
  });

  it('and lacks the database is told', async () => {
    await expect(start({ ...shared, NEO4J_DATABASE: 'nowhere' })).rejects.toThrow(
      `Neo4j at ${NEO4J_URI} has no database 'nowhere'. Correct NEO4J_DATABASE.`,
    );
  });

  it.each(['bolt://127.0.0.1:1', 'neo4j://127.0.0.1:1'])('and does not answer is told (%s)', async (uri) => {
    await expect(start({ NEO4J_URI: uri, NEO4J_WAIT_MS: '0' })).rejects.toThrow(`No Neo4j answers at ${uri}: `);
  });

  it('under an address of the wrong kind is told', async () => {
    await expect(start({ NEO4J_URI: 'http://127.0.0.1:7474' })).rejects.toThrow(
      'NEO4J_URI http://127.0.0.1:7474 cannot be used',
    );
  });
});
