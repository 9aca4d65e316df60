import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const kubernetes = 'v1.36.3';
const etcd = 'v3.7.3';
const kwok = 'v0.8.0';
const helm = 'v4.3.1';
const gatewayApi = 'v1.6.3';
const prometheusOperator = 'v0.85.0';

/** Where the programs are, by their versions: building them takes minutes. `CHART_TOOLS` is another folder. */
export const tools =
  process.env.CHART_TOOLS ||
  join(
    process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'concord-chart',
    [kubernetes, etcd, kwok, helm, gatewayApi, prometheusOperator].join('-'),
  );

/** Whether `buildTools` has ended once. */
export const areToolsThere = (): boolean => existsSync(join(tools, 'complete'));

const run = promisify(execFile);
const environment = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod -trimpath -buildvcs=false' };

interface Module {
  Dir: string;
  GoMod: string;
}

/**
 * Builds an API server with all that it needs, and Helm, from their Go modules; and copies the resources of others that
 * the chart makes objects of. It takes some minutes, and nothing where they are there.
 * @throws where there is no Go, or a module cannot be had
 */
export async function buildTools(say: (line: string) => void): Promise<void> {
  if (areToolsThere()) return;
  await mkdir(tools, { recursive: true });
  const version = kubernetes.replace('v1.', 'v0.');
  const stamped = `-s -w -X k8s.io/component-base/version.gitVersion=${kubernetes}`;
  await buildFrom('k8s.io/kubernetes', kubernetes, { say, ldflags: stamped, staging: version }, [
    'k8s.io/kubernetes/cmd/kube-apiserver',
    'k8s.io/kubernetes/cmd/kube-controller-manager',
    'k8s.io/kubernetes/cmd/kube-scheduler',
  ]);
  await buildFrom('go.etcd.io/etcd/server/v3', etcd, { say, as: 'etcd' }, ['go.etcd.io/etcd/server/v3']);
  for (const each of [`sigs.k8s.io/kwok/cmd/kwok@${kwok}`, `helm.sh/helm/v4/cmd/helm@${helm}`]) {
    say(`building ${each}`);
    await run('go', ['install', '-ldflags', '-s -w', each], { env: { ...environment, GOBIN: tools } });
  }
  await copyResources();
  await writeFile(join(tools, 'complete'), '');
}

interface BuildOptions {
  say(line: string): void;
  ldflags?: string;
  /** The version of what its module replaces by folders of its own repository. */
  staging?: string;
  /** The name of the program, where it isn't the last part of its package. */
  as?: string;
}

/** `go install` takes no module that replaces others: this builds its programs from a module of our own. */
async function buildFrom(
  module: string,
  version: string,
  { say, ldflags = '-s -w', staging, as }: BuildOptions,
  programs: string[],
): Promise<void> {
  const { Dir, GoMod } = await download(module, version);
  const folder = await mkdtemp(join(tmpdir(), 'chart-tools-'));
  try {
    const replaced = [
      ...(await readFile(GoMod, 'utf8')).matchAll(/^\s*(?:replace )?(k8s\.io\/\S+) => \.\/staging\//gm),
    ];
    const lines = replaced.map(([, name]) => `replace ${name} => ${name} ${staging}`);
    const [go] = /^go \S+$/m.exec(await readFile(GoMod, 'utf8')) ?? ['go 1.26'];
    await writeFile(
      join(folder, 'go.mod'),
      ['module tools', go, `require ${module} ${version}`, ...lines, ''].join('\n'),
    );
    await cp(join(Dir, 'go.sum'), join(folder, 'go.sum'));
    for (const program of programs) {
      const name = as ?? program.slice(program.lastIndexOf('/') + 1);
      say(`building ${name} ${version}`);
      const made = join(folder, name);
      await run('go', ['build', '-ldflags', ldflags, '-o', made, program], { cwd: folder, env: environment });
      await cp(made, `${join(tools, name)}.new`);
      await rename(`${join(tools, name)}.new`, join(tools, name));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function download(module: string, version: string): Promise<Module> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `${module}@${version}`], { env: environment });
  return JSON.parse(stdout) as Module;
}

/** Custom resources that the chart has objects of: routes, and what Prometheus' operator reads. And how kwok plays. */
async function copyResources(): Promise<void> {
  const into = join(tools, 'resources');
  await mkdir(into, { recursive: true });
  const gateway = await download('sigs.k8s.io/gateway-api', gatewayApi);
  for (const kind of ['gateways', 'httproutes', 'grpcroutes']) {
    const file = `gateway.networking.k8s.io_${kind}.yaml`;
    await cp(join(gateway.Dir, 'config/crd/standard', file), join(into, file));
  }
  const played = await download('sigs.k8s.io/kwok', kwok);
  for (const each of [
    'node/fast/node-initialize',
    'pod/fast/pod-ready',
    'pod/fast/pod-complete',
    'pod/fast/pod-delete',
  ]) {
    const from = join(played.Dir, 'kustomize/stage', `${each}.yaml`);
    await cp(from, join(tools, 'stages', basename(from)));
  }
  const operator = await download('github.com/prometheus-operator/prometheus-operator', prometheusOperator);
  for (const kind of ['servicemonitors', 'prometheusrules']) {
    const file = `monitoring.coreos.com_${kind}.yaml`;
    await cp(join(operator.Dir, 'example/prometheus-operator-crd', file), join(into, file));
  }
}
