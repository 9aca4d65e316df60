import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { Screen } from '../../demo/screen.ts';
import { tellStory } from '../../demo/story.ts';
import { lastingPort } from '../support/ports.ts';
import { emptyGraph, neo4jSettings } from '../support/service.ts';
import { useFolder } from '../support/setUp.ts';
import { chart, chartBefore } from './chartFiles.ts';
import { type Cluster, type Manifest, startCluster } from './cluster/cluster.ts';
import { areToolsThere } from './cluster/tools.ts';
import { helm } from './helm.ts';
import { matrix, neo4j } from './matrix.ts';

/*
 * The chart on a real API server, whose one node is played by kwok: what a cluster would refuse is refused, and no
 * container runs. `npm run test:chart` builds what it needs; without that it is skipped.
 */
const isThere = areToolsThere() && helm !== undefined;
if (!isThere) process.stderr.write('SKIPPED. The chart is not installed: `npm run test:chart` builds an API server\n');
const onCluster = isThere ? describe : describe.skip;

const run = promisify(execFile);
const ownedBy = 'meta.helm.sh/release-name';

onCluster('the chart, on an API server', () => {
  const folder = useFolder();
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.close());

  /** Helm's words, of a command on the cluster. */
  const helmed = async (...command: string[]): Promise<string> =>
    (await run(helm ?? '', [...command, '--kubeconfig', cluster.kubeconfig])).stdout;
  const valuesFile = (values: object): string[] => {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return ['-f', file];
  };
  const rendered = async (namespace: string, values: object): Promise<Manifest[]> => {
    const text = await helmed('template', 'rel', chart, '--namespace', namespace, ...valuesFile(values));
    return parseAllDocuments(text).map((document) => document.toJS());
  };
  /** Where only pods of the restricted standard may be. */
  const restricted = async (name: string): Promise<string> => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const { status } = await cluster.call('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels },
    });
    if (status !== 201) throw new Error(`The namespace ${name} is not made: ${status}`);
    const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    while ((await cluster.call('GET', account)).status !== 200) await sleep(100);
    return name;
  };
  /** Asks the server whether it would take an object, with every field of it. */
  const dryRun = async (namespace: string, manifest: Manifest) => {
    const { apiVersion, kind } = manifest;
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const { resources } = (await cluster.call('GET', root)).body;
    const { name } = resources.find((each: Manifest) => each.kind === kind && !each.name.includes('/'));
    const path = `${root}/namespaces/${namespace}/${name}?dryRun=All&fieldValidation=Strict`;
    const { status, body } = await cluster.call('POST', path, manifest);
    return status === 201 ? 'taken' : `${kind}: ${status} ${body.message}`;
  };
  const podOf = ({ spec, metadata }: Manifest): Manifest => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'pod', labels: metadata?.labels },
    // Its account is made with the release.
    spec: { ...spec, serviceAccountName: 'default', restartPolicy: spec.restartPolicy ?? 'Never' },
  });

  it.each(matrix.map(([name, values], index) => [name, values, index] as const))(
    'with %s: the server takes every object with all its fields, and every pod by the restricted standard',
    async (_name, values, index) => {
      const namespace = await restricted(`matrix-${index}`);
      const manifests = (await rendered(namespace, values)).filter(Boolean);
      expect(manifests.length).toBeGreaterThan(2);
      for (const manifest of manifests) {
        expect(await dryRun(namespace, manifest)).toBe('taken');
        const { template } = manifest.spec ?? {};
        if (template?.spec.containers) expect(await dryRun(namespace, podOf(template))).toBe('taken');
      }
    },
  );

  it('the server refuses an unknown field, a port that is none, and a pod that may do more', async () => {
    const namespace = await restricted('refusing');
    const manifests = (await rendered(namespace, { neo4j })).filter(Boolean);
    const service = manifests.find(({ kind }) => kind === 'Service');
    expect(await dryRun(namespace, { ...service, spec: { ...service.spec, prots: [] } })).toContain('unknown field');
    const [port] = service.spec.ports;
    const none = { ...service, spec: { ...service.spec, ports: [{ ...port, port: 99_999 }] } };
    expect(await dryRun(namespace, none)).toContain('must be between 1 and 65535');
    const { template } = manifests.find(({ kind }) => kind === 'Deployment').spec;
    const root = podOf({ ...template, spec: { ...template.spec, securityContext: { runAsUser: 0 } } });
    expect(await dryRun(namespace, root)).toContain('violates PodSecurity "restricted');
  });

  const deploymentIn = async (namespace: string, name: string) =>
    (await cluster.call('GET', `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`)).body;
  const hasVocabulary = (each: Manifest) =>
    each.spec.template.spec.volumes.some(({ name }: Manifest) => name === 'vocabulary');
  const more = { neo4j, vocabulary: { sdl: 'type A @class { name: String }' }, replicaCount: 3 };

  it('is installed by one command with an address, upgraded, rolled back and uninstalled', async () => {
    const namespace = await restricted('life');
    const inIt = ['--namespace', namespace, '--wait', '--timeout', '120s'];
    const deployment = () => deploymentIn(namespace, 'concord');
    await helmed('install', 'concord', chart, '--set', 'neo4j.uri=bolt://db:7687', ...inIt);
    const first = await deployment();
    expect(first.status).toMatchObject({ readyReplicas: 2, updatedReplicas: 2 });
    expect(hasVocabulary(first)).toBe(false);
    // The hook migrates by a job, which must have ended before anything else.
    await helmed('upgrade', 'concord', chart, ...valuesFile(more), ...inIt);
    const second = await deployment();
    expect(second.status).toMatchObject({ readyReplicas: 3, updatedReplicas: 3 });
    expect(hasVocabulary(second)).toBe(true);
    await helmed('rollback', 'concord', '1', ...inIt);
    expect(hasVocabulary(await deployment())).toBe(false);
    await helmed('uninstall', 'concord', ...inIt);
    expect((await deployment()).code).toBe(404);
    for (const kind of ['configmaps', 'services', 'serviceaccounts']) {
      const { items } = (await cluster.call('GET', `/api/v1/namespaces/${namespace}/${kind}`)).body;
      const left = items.map(({ metadata }: Manifest) => metadata.name).filter((name: string) => /concord/.test(name));
      expect(left).toEqual([]);
    }
  });

  it('is upgraded from the chart before, whose names and addresses stay, and rolled back to it', async () => {
    const namespace = await restricted('before');
    const inIt = ['--namespace', namespace, '--wait', '--timeout', '120s'];
    await helmed('install', 'concord', chartBefore, '--set', 'neo4j.uri=bolt://db:7687', ...inIt);
    const { items } = (await cluster.call('GET', `/apis/apps/v1/namespaces/${namespace}/deployments`)).body;
    expect(items).toHaveLength(1);
    const [{ metadata: before }] = items;
    const upgraded = async () => {
      await helmed('upgrade', 'concord', chart, ...valuesFile(more), ...inIt);
      const now = await deploymentIn(namespace, before.name);
      // The same object, whose pods were replaced by and by.
      expect([now.metadata?.uid, hasVocabulary(now)]).toEqual([before.uid, true]);
      expect(now.status).toMatchObject({ readyReplicas: 3, updatedReplicas: 3 });
    };
    await upgraded();
    await helmed('rollback', 'concord', '1', ...inIt);
    const back = await deploymentIn(namespace, before.name);
    expect([back.metadata?.uid, hasVocabulary(back), back.status.readyReplicas]).toEqual([before.uid, false, 2]);
    await upgraded();
  });

  it('keeps the name that its release has, and takes none of another release', async () => {
    const namespace = await restricted('names');
    const inIt = ['--set', 'neo4j.uri=bolt://db:7687', '--namespace', namespace, '--no-hooks'];
    const named = async () => {
      const { items } = (await cluster.call('GET', `/apis/apps/v1/namespaces/${namespace}/deployments`)).body;
      return items.map(({ metadata: { name, annotations } }: Manifest) => [name, annotations[ownedBy]]).sort();
    };
    await helmed('install', 'concord-concord', chart, ...inIt);
    await helmed('install', 'concord', chart, ...inIt);
    await helmed('upgrade', 'concord', chart, ...inIt);
    expect(await named()).toEqual([
      ['concord', 'concord'],
      ['concord-concord', 'concord-concord'],
    ]);
    await helmed('uninstall', 'concord', ...inIt.slice(2));
    await helmed('uninstall', 'concord-concord', ...inIt.slice(2));
    await helmed('install', 'concord', chart, '--set', 'fullnameOverride=concord-concord', ...inIt);
    await helmed('upgrade', 'concord', chart, ...inIt);
    expect(await named()).toEqual([['concord-concord', 'concord']]);
  });

  it.each(matrix.slice(1).map(([name, values], index) => [name, values, index] as const))(
    'with %s: no object of the chart before stands in the way of an upgrade',
    async (_name, values, index) => {
      const namespace = await restricted(`before-${index}`);
      const inIt = ['--namespace', namespace, '--no-hooks'];
      await helmed('install', 'concord', chartBefore, ...valuesFile(values), ...inIt);
      await helmed('upgrade', 'concord', chart, ...valuesFile(values), ...inIt);
    },
  );

  it('its pods’ command and environment start Concord, which serves the demo', async () => {
    await emptyGraph();
    const namespace = await restricted('real');
    const { NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD } = neo4jSettings;
    await cluster.call('POST', `/api/v1/namespaces/${namespace}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'db' },
      stringData: { password: NEO4J_PASSWORD },
    });
    const [http, grpc, operations] = await Promise.all([lastingPort(), lastingPort(), lastingPort()]);
    const values = {
      neo4j: { uri: NEO4J_URI, existingSecret: 'db' },
      config: {
        API_KEYS: true,
        NEO4J_USER,
        PORT: http,
        GRPC_PORT: grpc,
        OPERATIONS_PORT: operations,
        AGENT_TRUST: 'rumour=0.2',
        AGENT_ALLOW: '127.0.0.1',
      },
    };
    const sdl = ['--set-file', 'vocabulary.sdl=demo/world.graphql'];
    await helmed('install', 'concord', chart, '--namespace', namespace, ...valuesFile(values), ...sdl);
    const { spec } = await podIn(namespace);
    const environment = await environmentOf(namespace, spec);
    const url = `http://127.0.0.1:${http}`;
    const isReady = async () => (await fetch(`http://127.0.0.1:${operations}/readyz`)).ok;
    const asInPod = await started(spec, environment, isReady);
    try {
      const refused = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"query": "{ __typename }"}',
      });
      expect(refused.status).toBe(401);
    } finally {
      expect(await ended(asInPod)).toBe(0);
    }
    // The agents of the demo have no keys: they call a Concord that is reached from its own machine only.
    const onItsOwn = { HOST: '127.0.0.1', API_KEYS: 'false' };
    const local = await started(spec, { ...environment, ...onItsOwn, PUBLIC_URL: url }, isReady);
    try {
      await tellStory(url, new Screen(new (await import('node:stream')).PassThrough().resume(), false));
      const answer = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: '{ countries(where: {name: {eq: "France"}}) { name } }' }),
      });
      expect(await answer.json()).toEqual({ data: { countries: [{ name: 'France' }] } });
    } finally {
      expect(await ended(local)).toBe(0);
    }
  });

  /** A pod of the deployment, once the controllers have made one. */
  async function podIn(namespace: string): Promise<Manifest> {
    for (;;) {
      const { items } = (await cluster.call('GET', `/api/v1/namespaces/${namespace}/pods`)).body;
      if (items[0]) return items[0];
      await sleep(200);
    }
  }

  /** What the kubelet would set, with the values of secrets, and files where this machine has them. */
  async function environmentOf(namespace: string, { containers, volumes }: Manifest): Promise<Record<string, string>> {
    const [{ env, volumeMounts }] = containers;
    const core = (kind: string, name: string) => cluster.call('GET', `/api/v1/namespaces/${namespace}/${kind}/${name}`);
    const given: Record<string, string> = {};
    for (const { name, value, valueFrom } of env) {
      const { secretKeyRef } = valueFrom ?? {};
      if (!secretKeyRef) given[name] = value ?? '';
      else {
        const { data } = (await core('secrets', secretKeyRef.name)).body;
        given[name] = Buffer.from(data[secretKeyRef.key], 'base64').toString();
      }
    }
    for (const { name, mountPath } of volumeMounts) {
      const { configMap } = volumes.find((each: Manifest) => each.name === name);
      if (!configMap) continue;
      const { data } = (await core('configmaps', configMap.name)).body;
      const there = join(folder, mountPath);
      mkdirSync(there, { recursive: true });
      for (const [file, text] of Object.entries(data)) writeFileSync(join(there, file), String(text));
      for (const [key, value] of Object.entries(given)) given[key] = value.replaceAll(mountPath, there);
    }
    return given;
  }
});

/** The process of the pod's container, with no variable but the pod's and the PATH. */
async function started(
  { containers: [{ command }] }: Manifest,
  environment: Record<string, string>,
  isReady: () => Promise<boolean>,
): Promise<ChildProcess> {
  const [, ...flags] = command;
  const child = spawn(process.execPath, flags, {
    env: { PATH: process.env.PATH, ...environment, DRAIN_DELAY_MS: '0' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode !== null) throw new Error(`Concord has ended with ${child.exitCode}`);
    await sleep(200);
  }
  return child;
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  return child.exitCode;
}
