import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { readChart } from './chartFiles.ts';

const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
const validate = ajv.compile(JSON.parse(readChart('values.schema.json')));
const defaults = () => parse(readChart('values.yaml'));

/** Where the values are refused; nothing where they are taken. */
function faults(change: (values: ReturnType<typeof defaults>) => void): string[] {
  const values = defaults();
  change(values);
  validate(values);
  return (validate.errors ?? []).map(({ instancePath }) => instancePath);
}

describe('values.schema.json', () => {
  it('takes the values of the chart', () => {
    expect(faults(() => {})).toEqual([]);
  });

  it('says what it knows of each object, and takes nothing else', () => {
    const { properties } = JSON.parse(readChart('values.schema.json'));
    expect(Object.keys(defaults()).filter((name) => !(name in properties))).toEqual([]);
  });

  it.each([
    ['a value that there isn’t', { replicas: 3 }, ''],
    ['a setting that there isn’t', { config: { NEO4J_ADDRESS: 'x' } }, '/config'],
    ['a secret in plain text', { config: { NEO4J_PASSWORD: 'x' } }, '/config'],
    ['a secret without its key', { secrets: { JWT_SECRET: { name: 'x' } } }, '/secrets/JWT_SECRET'],
    ['an address that is no Neo4j’s', { neo4j: { uri: 'http://db:7474' } }, '/neo4j/uri'],
    ['a port beyond all ports', { service: { port: 99_999 } }, '/service/port'],
    ['a rule that isn’t Cypher', { rules: { files: { 'rule.txt': 'x' } } }, '/rules/files'],
    ['metrics for everybody', { ingress: { paths: ['/metrics'] } }, '/ingress/paths/0'],
    ['a digest that is none', { image: { repository: 'concord', digest: 'sha256:12' } }, '/image/digest'],
    [
      'a pod that runs as root',
      { podSecurityContext: { runAsNonRoot: false, seccompProfile: {} } },
      '/podSecurityContext/runAsNonRoot',
    ],
    [
      'a container that may become more',
      { securityContext: { allowPrivilegeEscalation: true, capabilities: { drop: ['ALL'] } } },
      '/securityContext/allowPrivilegeEscalation',
    ],
    ['a setting in the further variables', { extraEnv: [{ name: 'PORT', value: '1' }] }, '/extraEnv/0/name'],
  ])('refuses %s', (_what, change, path) => {
    expect(faults((values) => Object.assign(values, change))).toContain(path);
  });
});
