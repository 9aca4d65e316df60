import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { lastingPort } from '../../support/ports.ts';
import { tools } from './tools.ts';

// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds
export type Manifest = any;

export interface Answer {
  status: number;
  body: Manifest;
}

/** A control plane on this machine: etcd, the API server, its controllers and scheduler; kwok plays a node. */
export interface Cluster {
  /** For Helm. */
  kubeconfig: string;
  /** Calls the API server as its administrator. */
  call(method: string, path: string, body?: object): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * Starts one, with the custom resources that the chart makes objects of. Pods on its node become ready; nothing runs in
 * them.
 * @throws with the last lines of the part that has ended or doesn't answer
 */
export async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'concord-cluster-'));
  const parts: ChildProcess[] = [];
  const close = async () => {
    // The API server waits for etcd's word when it ends; there is nothing to keep.
    const ended = parts.reverse().map((part) => end(part));
    await Promise.all(ended);
    await rm(folder, { recursive: true, force: true });
  };
  const start = (name: string, flags: string[]) => {
    const log = createWriteStream(join(folder, `${name}.log`));
    const child = spawn(join(tools, name), flags, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    child.once('error', () => {});
    parts.push(child);
    return child;
  };
  try {
    const [etcd, peers, api] = await Promise.all([lastingPort(), lastingPort(), lastingPort()]);
    const token = randomBytes(16).toString('hex');
    await writeFile(join(folder, 'tokens.csv'), `${token},admin,admin,system:masters\n`);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = join(folder, 'accounts.key');
    await writeFile(key, privateKey.export({ type: 'pkcs1', format: 'pem' }));
    const storage = `http://127.0.0.1:${etcd}`;
    start('etcd', [
      '--data-dir=etcd',
      '--unsafe-no-fsync',
      `--listen-client-urls=${storage}`,
      `--advertise-client-urls=${storage}`,
      `--listen-peer-urls=http://127.0.0.1:${peers}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peers}`,
      `--initial-cluster=default=http://127.0.0.1:${peers}`,
    ]);
    start('kube-apiserver', [
      `--etcd-servers=${storage}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${api}`,
      '--cert-dir=certificates',
      '--service-cluster-ip-range=10.0.0.0/24',
      '--token-auth-file=tokens.csv',
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://127.0.0.1',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      '--allow-privileged=true',
    ]);
    const server = `https://127.0.0.1:${api}`;
    const call = (method: string, path: string, body?: object) => send(server, token, method, path, body);
    await waitFor(folder, parts, async () => (await call('GET', '/readyz')).status === 200);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(server, token)));
    const shared = [`--kubeconfig=${kubeconfig}`];
    start('kube-controller-manager', [
      ...shared,
      '--use-service-account-credentials=false',
      `--service-account-private-key-file=${key}`,
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--leader-elect=false',
    ]);
    start('kube-scheduler', [...shared, '--bind-address=127.0.0.1', '--secure-port=0', '--leader-elect=false']);
    const stages = await readdir(join(tools, 'stages'));
    start('kwok', [
      ...shared,
      '--manage-all-nodes=true',
      '--node-lease-duration-seconds=40',
      ...stages.map((each) => `--config=${join(tools, 'stages', each)}`),
    ]);
    await call('POST', '/api/v1/nodes', node);
    await installResources(call);
    return { kubeconfig, call, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node', labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': 'node' } },
  status: {
    allocatable: { cpu: '64', memory: '256Gi', pods: '500' },
    capacity: { cpu: '64', memory: '256Gi', pods: '500' },
  },
};

function kubeconfigOf(server: string, token: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  };
}

/** Its certificate is its own, made a moment ago on this machine. */
function send(server: string, token: string, method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json',
      ...(body && { 'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
    };
    const sent = request(`${server}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(text) }));
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

function parsed(text: string): Manifest {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function installResources(call: Cluster['call']): Promise<void> {
  const folder = join(tools, 'resources');
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const file of await readdir(folder)) {
    for (const document of parseAllDocuments(await readFile(join(folder, file), 'utf8'))) {
      const { status, body } = await call('POST', definitions, document.toJS());
      if (status !== 201) throw new Error(`${file}: ${JSON.stringify(body)}`);
      const path = `${definitions}/${body.metadata.name}`;
      const isEstablished = async () =>
        (await call('GET', path)).body.status?.conditions?.some(
          ({ type, status }: Manifest) => type === 'Established' && status === 'True',
        );
      while (!(await isEstablished())) await sleep(100);
    }
  }
}

async function waitFor(folder: string, parts: ChildProcess[], isThere: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 120_000;
  for (;;) {
    if (await isThere().catch(() => false)) return;
    const ended = parts.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
    if (ended || Date.now() > until) {
      const logs = (await readdir(folder)).filter((each) => each.endsWith('.log'));
      const texts = await Promise.all(logs.map((each) => readFile(join(folder, each), 'utf8')));
      throw new Error(`The cluster doesn't start:\n${texts.map((text) => text.slice(-2000)).join('\n')}`);
    }
    await sleep(200);
  }
}

async function end(part: ChildProcess): Promise<void> {
  if (part.exitCode !== null || part.signalCode !== null || part.pid === undefined) return;
  const exited = once(part, 'exit');
  part.kill('SIGKILL');
  await exited;
}
