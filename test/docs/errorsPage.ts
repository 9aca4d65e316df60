import { readFileSync } from 'node:fs';
import { ErrorCode } from '../../src/base/errors.ts';
import { type Reason, reasons } from '../../src/base/reasons.ts';

const head = `# Errors

Every error is a JSON-RPC error: a \`code\`, a \`message\` for people, and \`data\` for programs. \`data.reason\` is stable.
\`data.retryable\` says whether the same call may succeed later; where it is absent, it won't without a change.

This page is made of \`src/base/reasons.ts\` and \`src/base/errors.ts\` by \`npm run docs\`; a test compares them.
`;

/** The text of \`docs/errors.md\`. */
export function errorsPage(): string {
  return `${[head, codesTable(), reasonsTable()].join('\n')}`;
}

/** The comments of the codes are their documentation. */
function codesTable(): string {
  const source = readFileSync('src/base/errors.ts', 'utf8');
  const said = new Map(
    [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+(\w+): -\d+,/g)].map(([, comment = '', name]) => [
      name,
      comment.replace(/\s*\n\s*\*?\s*/g, ' ').trim(),
    ]),
  );
  const rows = Object.entries(ErrorCode).map(([name, code]) => `| ${code} | ${name} | ${said.get(name)} |`);
  return ['## Codes', '', '| code | name | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function reasonsTable(): string {
  const rows = (Object.keys(reasons) as Reason[]).sort().map((reason) => {
    const {
      code,
      says,
      retryable,
      http,
      grpc,
    }: { code: number; says: string; retryable?: boolean; http?: number; grpc?: number } = reasons[reason];
    const later = retryable === undefined ? '' : retryable ? 'yes' : 'no';
    return `| \`${reason}\` | ${code} | ${later} | ${http ?? 400} | ${grpc ?? 3} | ${says} |`;
  });
  const columns = [
    '| reason | code | retryable | HTTP+JSON | gRPC | meaning |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  return ['## Reasons', '', ...columns, ...rows, ''].join('\n');
}
