import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { chart, readChart } from './chartFiles.ts';

const { version, scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('the version', () => {
  it('of the chart, of what it installs and of the clients is that of package.json', () => {
    const { version: ofChart, appVersion } = parse(readChart('Chart.yaml'));
    const ofPython = /^version = "(.*)"$/m.exec(readFileSync('clients/python/pyproject.toml', 'utf8'))?.[1];
    const ofImage = /^ARG VERSION=(.*)$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1];
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    expect([ofChart, appVersion, ofPython, ofImage, lock.version, lock.packages[''].version]).toEqual(
      Array(6).fill(version),
    );
    // The image of the chart is that of its appVersion, and the client takes its own of package.json when it is packed.
    expect(parse(readChart('values.yaml')).image.tag).toBe('');
  });

  it('that a release is asked for is checked against all of these', () => {
    const check = (wanted: string) =>
      execFileSync(process.execPath, ['scripts/versions.mjs', '--check', wanted], { stdio: 'pipe' });
    check(version);
    expect(() => check('99.0.0')).toThrow(`package.json has ${version}, and not 99.0.0`);
    expect(scripts.version).toContain('scripts/versions.mjs');
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a workflow of GitHub
const workflow: any = parse(readFileSync('.github/workflows/release.yml', 'utf8'));

describe('the release workflow', () => {
  const text = JSON.stringify(workflow);
  // biome-ignore lint/suspicious/noExplicitAny: a workflow of GitHub
  const jobs = Object.values<any>(workflow.jobs);

  it('calls what there is', () => {
    for (const [, path = ''] of text.matchAll(/(?:node |[ "])((?:scripts\/|\.ci\/)[\w.-]+)/g))
      expect([path, existsSync(path)]).toEqual([path, true]);
    expect(readChart('values.yaml')).toMatch(/^ {2}repository: concord$/m);
    expect(existsSync(`${chart}/Chart.yaml`)).toBe(true);
  });

  it('gives each job the rights that it needs, and none before everything was checked', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const writing = jobs.filter(({ permissions = {} }) => Object.values(permissions).includes('write'));
    expect(writing).toHaveLength(4);
    for (const { needs } of writing) expect([needs].flat()).toContain('check');
  });

  it('publishes image, chart and client with provenance, and a list of what is in it', () => {
    for (const said of ['mode=max', 'helm push', 'npm publish --provenance', 'npm sbom']) expect(text).toContain(said);
  });
});
