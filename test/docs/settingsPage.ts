import type { z } from 'zod';
import { settingGroups } from '../../src/config/config.ts';
import { isSecretSetting } from '../../src/config/secretSetting.ts';

/** docs/settings.md, made of the settings' own schema. */
export function settingsPage(): string {
  const groups = Object.entries(settingGroups).map(([title, settings]) => {
    const rows = Object.entries(settings).map(([name, schema]) => row(name, schema));
    return [`## ${title}`, '', '| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
  });
  return `${[head, ...groups, telemetry].join('\n\n')}\n`;
}

const head = `<!-- Made by \`npm run docs\` of src/config/config.ts and src/config/identity.ts. Change those. -->

# Settings

Concord reads its settings from environment variables. An empty variable counts as absent.
A wrong setting stops the start, and the message names each that is wrong.

A secret (🔒) can be given by a file instead: \`NEO4J_PASSWORD_FILE=/run/secrets/neo4j\`. A line break at its end is left
out; both at once are refused. The passwords of Neo4j are read again when their file changes, all others at the start
only.`;

const telemetry = `## OpenTelemetry

\`OTEL_EXPORTER_OTLP_ENDPOINT\` and the other \`OTEL_*\` variables are OpenTelemetry's own.

- Where traces and metrics go: that one. \`/metrics\` has the metrics in any case, and \`OTEL_METRICS_EXPORTER=none\`
  has them sent nowhere; \`OTEL_METRIC_EXPORT_INTERVAL\` says how often they are sent.
- How many traces are sampled: \`OTEL_TRACES_SAMPLER=parentbased_traceidratio\` with \`OTEL_TRACES_SAMPLER_ARG=0.1\`;
  all, without them.

Without an endpoint trace ids are still made.`;

function row(name: string, schema: z.ZodType): string {
  if (!schema.description) throw new Error(`${name} has no description: give it one by .describe()`);
  const mark = isSecretSetting(schema) ? ' 🔒' : '';
  return `| \`${name}\`${mark} | ${defaultOf(schema)} | ${schema.description} |`;
}

/** What holds without the variable, as one would write it there; nothing where it is absent or empty. */
function defaultOf(schema: z.ZodType): string {
  const value = schema.safeParse(undefined).data;
  return ['string', 'number', 'boolean'].includes(typeof value) ? `\`${value}\`` : '';
}
