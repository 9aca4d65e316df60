import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { ClassArchive } from '../../src/neo4jServer/classArchive.ts';
import { createHome } from '../../src/neo4jServer/home.ts';
import { jarDirectory } from '../../src/neo4jServer/jars.ts';
import { findJava } from '../../src/neo4jServer/java.ts';
import { recall } from '../../src/neo4jServer/running.ts';
import { startNeo4j } from '../../src/neo4jServer/server.ts';
import { lastingSettings, ownDataDirectory } from '../support/ownNeo4j.ts';
import { useFolder } from '../support/setUp.ts';

const folder = useFolder();
const java = process.execPath;
const jars = join(folder, 'lib-1');

test('an archive is written at the end of the first life, and taken in those after it', () => {
  const archive = new ClassArchive(jars, java, {});
  const [flag = ''] = archive.flags;
  expect([archive.isToCome, flag]).toEqual([true, expect.stringMatching(/^-XX:ArchiveClassesAtExit=.*\.jsa\.part$/)]);
  writeFileSync(join(folder, 'lib-0-old.jsa'), '');
  archive.keep();
  expect(archive.isToCome).toBe(true);
  writeFileSync(flag.replace(/^.*?=/, ''), 'classes');
  archive.keep();
  const [found = ''] = archive.flags;
  expect([archive.isToCome, found]).toEqual([false, expect.stringMatching(/^-XX:SharedArchiveFile=.*\.jsa$/)]);
  expect(readFileSync(found.replace(/^.*?=/, ''), 'utf8')).toBe('classes');
  expect(readdirSync(folder)).toHaveLength(1);
});

test('half of one is thrown away', () => {
  const archive = new ClassArchive(join(folder, 'lib-2'), java, {});
  const part = archive.flags[0]?.replace(/^.*?=/, '') ?? '';
  writeFileSync(part, 'cla');
  archive.discard();
  expect([existsSync(part), archive.isToCome]).toEqual([false, true]);
});

test('what operators tell Java of its archives holds', () => {
  for (const options of [
    { JDK_JAVA_OPTIONS: '-Xmx1g -XX:SharedArchiveFile=x.jsa' },
    { JAVA_TOOL_OPTIONS: '-Xshare:off' },
  ]) {
    const archive = new ClassArchive(jars, java, options);
    expect([archive.flags, archive.isToCome]).toEqual([[], false]);
  }
});

test('Neo4j starts with an archive that is none', async () => {
  const directory = ownDataDirectory();
  const environment = { ...process.env, JDK_JAVA_OPTIONS: '' };
  const found = await findJava(environment);
  if (found.missing !== undefined) throw new Error(found.missing);
  const home = createHome(readConfig({ DATA_DIR: directory }));
  mkdirSync(home, { recursive: true });
  const archive = new ClassArchive(jarDirectory(home), found.command, environment);
  writeFileSync(archive.flags[0]?.replace(/^.*?=/, '') ?? '', 'no archive');
  archive.keep();
  const config = readConfig(await lastingSettings(directory));
  const server = await startNeo4j(config, () => {}, environment);
  const { pid = 0 } = recall(home)?.process ?? {};
  if (process.platform === 'linux') {
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('-XX:SharedArchiveFile=');
  }
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});
