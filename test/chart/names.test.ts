import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { chart, readChart, settings } from './chartFiles.ts';

const templates = readdirSync(`${chart}/templates`, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(yaml|tpl|txt)$/.test(path))
  .map((path) => ({ path, text: readChart(`templates/${path}`) }));

const telemetry = readdirSync('src/telemetry')
  .map((file) => readFileSync(`src/telemetry/${file}`, 'utf8'))
  .join('\n');

/** What /metrics calls them: counters end with `_total`, and of a histogram there are three. */
const metrics = new Set([
  ...named(/\bcounter(?:<.*?>)?\(\s*'(\w+)'/g).map((name) => `concord_${name}_total`),
  ...named(/\bseconds(?:<.*?>)?\(\s*'(\w+)'/g).flatMap((name) =>
    ['bucket', 'count', 'sum'].map((part) => `concord_${name}_seconds_${part}`),
  ),
  ...named(/\b(?:createUpDownCounter|createObservableGauge)\(\s*'(\w+)'/g),
  ...named(/\bcreateObservableCounter\(\s*'(\w+)'/g).map((name) => `${name}_total`),
]);

interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}
const alerts: Alert[] = parse(readChart('files/alerts.yaml')).groups.flatMap(({ rules }: { rules: Alert[] }) => rules);
const dashboards = ['operators', 'knowledge'].map((name) => ({
  name,
  text: readChart(`files/dashboards/${name}.json`),
}));
const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr]),
  ...dashboards.flatMap(({ text }) => panelsOf(text)),
] as [string, string][];

describe('the templates', () => {
  it('set no variable that is no setting of Concord', () => {
    const set = templates.flatMap(({ text }) => [
      ...[...text.matchAll(/set \$own "([A-Z0-9_]+)"|\$(?:settings|secrets)\.([A-Z0-9_]+)/g)].map(
        ([, own, used]) => own ?? used ?? '',
      ),
      ...[...text.matchAll(/- name: ([A-Z][A-Z0-9_]+)$/gm)].map(([, name = '']) => name),
    ]);
    // Node's own, and the test pod's.
    const others = new Set(['NODE_OPTIONS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'CONCORD_URL']);
    const isSetting = (name: string) => settings.has(name) || settings.has(name.replace(/_FILE$/, ''));
    expect([...new Set(set)].filter((name) => !isSetting(name) && !others.has(name))).toEqual([]);
    expect(set).toEqual(expect.arrayContaining(['NEO4J_URI', 'NEO4J_PASSWORD', 'PUBLIC_URL', 'SHUTDOWN_MS']));
  });

  it('probe addresses that Concord has', () => {
    const served = readFileSync('src/http/operations.ts', 'utf8');
    const probed = templates.flatMap(({ text }) => [...text.matchAll(/path: (\/(?:healthz|readyz|metrics)\w*)/g)]);
    expect(probed.length).toBeGreaterThanOrEqual(4);
    for (const [, path] of probed) expect(served).toMatch(new RegExp(`\\b(?:app|router)\\.get\\('${path}'`));
  });

  it('name files of dist that the build makes', () => {
    const files = templates.flatMap(({ text }) => [...text.matchAll(/\bdist\/([\w/]+)\.js/g)]);
    expect(files.filter(([, file]) => !existsSync(`src/${file}.ts`)).map(([name]) => name)).toEqual([]);
    expect(files.length).toBeGreaterThan(0);
  });
});

describe('alerts and dashboards', () => {
  it.each(expressions)('%s reads metrics that Concord has', (_name, expr) => {
    const read = [...expr.matchAll(/\b(?:concord|process|nodejs)_\w+/g)].map(([name]) => name);
    expect(read.length).toBeGreaterThan(0);
    expect(read.filter((name) => !metrics.has(name))).toEqual([]);
  });

  it.each(expressions)('%s tells apart by labels that there are', (_name, expr) => {
    const inBraces = [...expr.matchAll(/[{,](\w+)(?:=~?|!~?=?)"/g)].map(([, label = '']) => label);
    const grouped = [...expr.matchAll(/(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
    const prometheus = ['namespace', 'pod', 'le'];
    const unknown = [...inBraces, ...grouped].filter(
      (label) => !prometheus.includes(label) && !new RegExp(`\\b${label}: `).test(telemetry),
    );
    expect(unknown).toEqual([]);
  });

  it('are as many as are looked at', () => {
    expect(metrics.size).toBeGreaterThan(15);
    expect(expressions.length).toBeGreaterThan(40);
  });
});

describe('an alert', () => {
  const page = readFileSync('docs/operate/alerts.md', 'utf8');
  const sections = new Map(
    page
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split('\n')[0] ?? '', section]),
  );

  it.each(alerts.map((alert) => [alert.alert, alert] as const))('%s leads to its section', (name, alert) => {
    expect(alert.annotations.runbook_url).toBe(`__runbooks__#${name.toLowerCase()}`);
    expect(['critical', 'warning', 'info']).toContain(alert.labels.severity);
    const section = sections.get(name) ?? '';
    for (const part of ['**Means.**', '**Look at.**', '**Do.**']) expect(section).toContain(part);
  });

  it('stands in the page as long as it is raised', () => {
    const raised = alerts.map(({ alert }) => alert);
    expect([...sections.keys()].filter((name) => !raised.includes(name))).toEqual([]);
  });
});

function named(pattern: RegExp): string[] {
  return [...telemetry.matchAll(pattern)].map(([, name = '']) => name);
}

function panelsOf(text: string): [string, string][] {
  const { panels } = JSON.parse(text) as { panels: { title: string; targets: { expr: string }[] }[] };
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }): [string, string] => [title, expr]));
}
