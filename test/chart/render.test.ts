import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { chart } from './chartFiles.ts';
import { helm } from './helm.ts';
import { matrix, neo4j } from './matrix.ts';

// Renders the chart with Helm over a matrix of values; skipped where there is none.
if (helm === undefined) process.stderr.write('SKIPPED. The chart is not rendered: there is no helm\n');
const withHelm = helm === undefined ? describe.skip : describe;

const umbrella = parse(readFileSync('helm/concord-neo4j/values.yaml', 'utf8'));

// biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds
type Manifest = any;

withHelm('the chart, rendered', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'chart-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (command: string[], values: object) => {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const { status, stdout, stderr } = spawnSync(helm ?? '', [...command, '-f', file], { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const render = (values: object): Manifest[] => {
    const { status, stdout, stderr } = run(['template', 'rel', chart], values);
    if (status !== 0) throw new Error(stderr);
    return parseAllDocuments(stdout)
      .map((document) => document.toJS())
      .filter(Boolean);
  };
  const deploymentOf = (manifests: Manifest[]) => manifests.find(({ kind }) => kind === 'Deployment').spec;

  it('passes helm lint', () => {
    const said = execFileSync(helm ?? '', ['lint', '--strict', chart, '--set', 'neo4j.uri=bolt://db'], {
      encoding: 'utf8',
    });
    expect(said).toContain('0 chart(s) failed');
  });

  it.each([
    ['rel', {}, 'rel-concord'],
    ['concord', {}, 'concord'],
    ['my-concord-2', {}, 'my-concord-2'],
    ['rel', { nameOverride: 'graph' }, 'rel-graph'],
    ['concord', { nameOverride: 'graph' }, 'concord-graph'],
    // As the chart with a Neo4j does, whose Service has the bare name of the release.
    ['concord', { fullnameOverride: umbrella.concord.fullnameOverride }, 'concord-concord'],
    [`concord-${'x'.repeat(45)}`, {}, `concord-${'x'.repeat(42)}`],
  ])('in the release %s with %j everything is called %s', (release, values, name) => {
    const { stdout } = run(['template', release, chart], { neo4j, ...values });
    const named = parseAllDocuments(stdout).map((document) => document.toJS()?.metadata.name ?? name);
    expect(named).toContain(name);
    expect(named.filter((each) => each !== name && !each.startsWith(`${name}-`))).toEqual([]);
  });

  it.each(matrix)('with %s: every pod meets the restricted standard', (_name, values) => {
    const manifests = render(values);
    const pods = manifests.flatMap(({ kind, spec }) =>
      ['Deployment', 'Job'].includes(kind) ? [spec.template.spec] : kind === 'Pod' ? [spec] : [],
    );
    expect(pods).toHaveLength('migrations' in values ? 2 : 3);
    for (const pod of pods) {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits.memory).toBeDefined();
      }
      const kinds = (pod.volumes ?? []).map((volume: object) => Object.keys(volume).find((key) => key !== 'name'));
      expect(['configMap', 'emptyDir', 'secret']).toEqual(expect.arrayContaining(kinds));
    }
  });

  it.each(matrix)('with %s: Concord takes its environment', (_name, values) => {
    const [container] = deploymentOf(render(values)).template.spec.containers;
    const names = container.env.map(({ name }: { name: string }) => name);
    expect(new Set(names).size).toBe(names.length);
    const given = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value?: string }) =>
        // Their files are in the pod only.
        name.endsWith('_FILE') ? [name.replace(/_FILE$/, ''), 's'.repeat(32)] : [name, value ?? 'secret'],
      ),
    );
    const config = readConfig(given);
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    );
    const { PORT: http, GRPC_PORT: grpc, OPERATIONS_PORT: operations } = config;
    expect(ports).toEqual({ http, ...(grpc !== undefined && { grpc }), operations });
  });

  it('gives large numbers in full', () => {
    const [container] = deploymentOf(render(matrix[3]?.[1] ?? {})).template.spec.containers;
    expect(container.env).toContainEqual({ name: 'MAX_BODY_BYTES', value: '16777216' });
  });

  it('takes no pod away before another is ready', () => {
    const { strategy, template } = deploymentOf(render({ neo4j }));
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    const [{ startupProbe, readinessProbe, livenessProbe, env }] = template.spec.containers;
    expect(readinessProbe.httpGet.path).toBe('/readyz');
    for (const probe of [startupProbe, livenessProbe]) expect(probe.httpGet.path).toBe('/healthz');
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) expect(probe.httpGet.port).toBe('operations');
    expect(env).toContainEqual({ name: 'DRAIN_DELAY_MS', value: '10000' });
  });

  it('mounts a certificate, and then everybody asks the pods over TLS', () => {
    const manifests = render(matrix[5]?.[1] ?? {});
    const [{ startupProbe, readinessProbe, livenessProbe, env, volumeMounts }] =
      deploymentOf(manifests).template.spec.containers;
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) expect(probe.httpGet.scheme).toBe('HTTPS');
    const [{ mountPath }] = volumeMounts.filter(({ name }: { name: string }) => name === 'tls');
    expect(env).toContainEqual({ name: 'TLS_CERT_FILE', value: `${mountPath}/tls.crt` });
    expect(env).toContainEqual({ name: 'TLS_KEY_FILE', value: `${mountPath}/tls.key` });
    const of = (wanted: string) => manifests.find(({ kind }) => kind === wanted);
    expect(of('ServiceMonitor').spec.endpoints[0]).toMatchObject({ scheme: 'https' });
    expect(of('Service').spec.ports.map((port: { appProtocol: string }) => port.appProtocol)).toEqual(
      Array(3).fill('https'),
    );
    expect(JSON.stringify(manifests)).not.toContain('http://');
    const plain = deploymentOf(render({ neo4j })).template.spec.containers[0];
    expect(plain.readinessProbe.httpGet.scheme).toBe('HTTP');
  });

  it('migrates before an upgrade, with the vocabulary to come and what it needs to reach Neo4j', () => {
    const values = { ...matrix[1]?.[1], secretFiles: { SUPPRESSION_KEY: { name: 's', key: 'k' } } };
    const manifests = render(values);
    const hooks = manifests.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === 'pre-upgrade');
    const [vocabulary, job] = hooks;
    expect(hooks.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Job']);
    const weight = (hook: Manifest) => Number(hook.metadata.annotations['helm.sh/hook-weight']);
    expect(weight(vocabulary)).toBeLessThan(weight(job));
    const { spec, metadata } = job.spec.template;
    const [container] = spec.containers;
    const [ofService] = deploymentOf(manifests).template.spec.containers;
    expect(container.command.slice(-1)).toEqual(['migrate']);
    expect(container.env).toEqual(ofService.env);
    const mounted = Object.fromEntries(
      container.volumeMounts.map(({ name, mountPath }: { name: string; mountPath: string }) => [mountPath, name]),
    );
    expect(Object.keys(mounted)).toEqual([
      '/tmp',
      '/etc/concord/vocabulary',
      '/etc/concord/secret-files/SUPPRESSION_KEY',
    ]);
    expect(spec.volumes).toHaveLength(3);
    expect(spec.volumes[1].configMap.name).toBe(vocabulary.metadata.name);
    // The Service must not send requests to it, and the network lets it reach Neo4j.
    const { selector } = manifests.find(({ kind }) => kind === 'Service').spec;
    expect(metadata.labels).not.toMatchObject(selector);
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies.map(({ spec: { podSelector } }) => podSelector.matchLabels)).toContainEqual(metadata.labels);
  });

  it('rolls the pods for another vocabulary or rule, and not for another policy', () => {
    const sum = (more: object) =>
      deploymentOf(render({ neo4j, ...more })).template.metadata.annotations['checksum/knowledge'];
    expect(sum({ vocabulary: { sdl: 'type A' } })).not.toBe(sum({ vocabulary: { sdl: 'type B' } }));
    expect(sum({ rules: { files: { 'a.cypher': 'x' } } })).not.toBe(sum({}));
    expect(sum({ policy: { json: '{}' } })).toBe(sum({}));
  });

  it('fills in the alerts, and leaves to Prometheus what is its own', () => {
    const rule = render(matrix[6]?.[1] ?? {}).find(({ kind }) => kind === 'PrometheusRule');
    const text = JSON.stringify(rule);
    expect(text).not.toMatch(/__\w+__/);
    expect(text).toContain('{{ $labels.pod }}');
  });

  it.each([
    ['no Neo4j', {}, 'neo4j.uri is needed'],
    ['nobody who may call', { neo4j, config: { API_KEYS: false } }, 'Identities are needed'],
    [
      'a setting given twice',
      { neo4j, config: { NEO4J_USER: 'a' }, secrets: { NEO4J_USER: { name: 'a', key: 'b' } } },
      'NEO4J_USER is given twice',
    ],
    [
      'a secret given twice',
      { neo4j, secretFiles: { NEO4J_PASSWORD: { name: 'a', key: 'b' } } },
      'NEO4J_PASSWORD is given twice',
    ],
    ['too little time to end', { neo4j, terminationGracePeriodSeconds: 20 }, 'terminationGracePeriodSeconds'],
    [
      'a route to no gRPC',
      { neo4j, grpc: { enabled: false }, grpcRoute: { enabled: true, parentRefs: [{}] } },
      'grpc.enabled',
    ],
    ['a value that there isn’t', { neo4j, replicas: 1 }, 'replicas'],
    ['a secret in plain text', { neo4j, config: { JWT_SECRET: 'x' } }, 'JWT_SECRET'],
  ])('refuses %s', (_what, values, says) => {
    const { status, stderr } = run(['template', 'rel', chart], values);
    expect(status).not.toBe(0);
    expect(stderr).toContain(says);
  });
});
