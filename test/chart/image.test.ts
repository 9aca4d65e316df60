import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const lines = readFileSync('Dockerfile', 'utf8')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const stages = lines.join('\n').split(/^(?=FROM )/m);
const last = stages.at(-1) ?? '';
const letThrough = readFileSync('.dockerignore', 'utf8').split('\n');

/** Every file and folder that is copied out of this one. */
const copied = lines
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(' ').slice(1, -1));

describe('the Dockerfile', () => {
  it('copies what is there, and what .dockerignore lets through', () => {
    expect(copied).toEqual(expect.arrayContaining(['package-lock.json', 'src', 'cypher', 'explorer']));
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    expect(letThrough).toContain('*');
    expect(copied.filter((path) => !letThrough.includes(`!${path.split('/')[0]}`))).toEqual([]);
  });

  it('lets nothing through that it doesn’t copy', () => {
    const roots = copied.map((path) => path.split('/')[0]);
    const idle = letThrough.filter((line) => line.startsWith('!') && !roots.includes(line.slice(1)));
    expect(idle).toEqual([]);
  });

  it('runs Node itself, as a user by number who isn’t root', () => {
    expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(last).toMatch(/^ENTRYPOINT \["\/usr\/local\/bin\/node"/m);
    expect(last).toMatch(/^CMD \["dist\/main\.js"\]$/m);
  });

  it('starts as npm start does', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const words = [...last.matchAll(/^(?:ENTRYPOINT|CMD) (\[.*\])$/gm)].flatMap(([, json = '']) => JSON.parse(json));
    expect(words.join(' ').replace('/usr/local/bin/', '')).toBe(scripts.start);
  });

  it('asks for health where it is answered', () => {
    const [, path] = last.match(/HEALTHCHECK.*'(\/\w+)'/) ?? [];
    expect(readFileSync('src/http/operations.ts', 'utf8')).toContain(`router.get('${path}'`);
  });

  it('has no tools for development in what runs, and no package’s script', () => {
    const app = stages.find((stage) => stage.includes(' AS app')) ?? '';
    expect(app).toContain('npm ci --omit=dev --ignore-scripts');
    expect(last).not.toContain('--from=build');
  });
});
