import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findJava, parseJavaVersion } from '../../src/neo4jServer/java.ts';

const directory = mkdtempSync(join(tmpdir(), 'concord-java-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('the version of Java', () => {
  it.each([
    ['openjdk version "17.0.15" 2025-04-15', 17],
    ['openjdk version "21.0.2" 2024-01-16 LTS', 21],
    ['openjdk version "22-ea" 2024-03-19', 22],
    ['java version "1.8.0_392"', 8],
    ['Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "11.0.22" 2024-01-16', 11],
  ])('is read from %j', (text, version) => {
    expect(parseJavaVersion(text)).toBe(version);
  });

  it('is not guessed', () => {
    expect(parseJavaVersion('Unable to locate a Java Runtime.')).toBeUndefined();
  });
});

describe('finding Java', () => {
  it('says that there is none on an empty PATH', async () => {
    expect(await findJava({ PATH: '' })).toEqual({ missing: 'there is no java on the PATH' });
  });

  it('says that a Java is too old', async () => {
    const java = join(directory, 'java');
    writeFileSync(java, '#!/bin/sh\necho \'openjdk version "11.0.22" 2024-01-16\' >&2\n', { mode: 0o755 });
    expect(await findJava({ PATH: directory })).toEqual({
      missing: `${java} is Java 11, and Neo4j needs Java 17 or 21`,
    });
  });

  it('says that JAVA_HOME holds no Java, though the PATH may', async () => {
    const found = await findJava({ PATH: process.env.PATH, JAVA_HOME: directory });
    expect(found.missing).toBe(`JAVA_HOME is ${directory}, where there is no bin/java`);
  });
});
