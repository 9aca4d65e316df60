import type { Command } from 'commander';
import { counted } from '../base/counted.ts';
import type { ConcordClient } from '../client/index.ts';
import { type ConnectionOptions, connectTo, patient, revisionOf, withConnection } from './target/connection.ts';
import type { Io } from './terminal/io.ts';

const help = `
It writes each current statement that the caller may read once, one line of JSON, as of one revision: those about the
person or agent, those that name it as their object, and those that it has stated last. 'role' says which comes first.

What others have stated again since isn't taken as its own, though it is among the 'sources'. What was retracted is not
in it, and neither are proposals, tasks and the audit trail; 'concord audit export' has the last.

Examples:
  concord subject export urn:person:alice > alice.jsonl
  concord subject export atlas | jq -r .predicate | sort | uniq -c
`;

/** Adds `concord subject export`. */
export function addSubjectCommand(program: Command, io: Io): void {
  const subject = program.command('subject').description('what is known of a person or an agent');
  const command = subject
    .command('export')
    .description('write the statements about a person or an agent, and by it')
    .argument('<id>', 'the id of the person or agent')
    .option('--json', 'say how many were written as one line of JSON')
    .addHelpText('after', help);
  withConnection(command).action((id: string, options: ConnectionOptions & { json?: boolean }) =>
    exportSubject(id, options, io),
  );
}

/** How a statement may concern somebody, in the order in which they are asked for. */
const roles = { subject: 'subject', object: 'object', source: 'sourceAgentId' } as const;
const pageSize = 500;

const page = (
  field: string,
) => `query ($id: ${field === 'sourceAgentId' ? 'String' : 'ID'}!, $limit: Int, $offset: Int) {
  statements(where: { ${field}: { eq: $id } }, sort: [{ id: ASC }], limit: $limit, offset: $offset) {
    id subject predicate object { id value type language } graph certainty provenance sourceAgentId taskId updateId
    observedAt recordedAt revision sources { sourceAgentId certainty provenance observedAt }
  }
}`;

async function exportSubject(
  id: string,
  { json, ...options }: ConnectionOptions & { json?: boolean },
  { print, say }: Io,
): Promise<void> {
  const client = await connectTo(options, { retry: patient });
  const revision = await revisionOf(client);
  const counts = { subject: 0, object: 0, source: 0 };
  const seen = new Set<string>();
  for (const role of Object.keys(roles) as (keyof typeof roles)[]) {
    for await (const statement of statementsOf(client, roles[role], id, revision)) {
      if (seen.has(statement.id)) continue;
      seen.add(statement.id);
      counts[role] += 1;
      print(JSON.stringify({ role, ...statement }));
    }
  }
  const told = { revision, ...counts };
  const { subject, object, source } = counts;
  say(
    json
      ? JSON.stringify(told)
      : `${counted(subject, 'statement')} about ${id}, ${object} that name it, ${source} by it; revision ${revision}`,
  );
}

async function* statementsOf(
  client: ConcordClient,
  field: string,
  id: string,
  revision: number,
): AsyncGenerator<{ id: string }> {
  const metadata = { asOfRevision: revision, afterRevision: revision };
  for (let offset = 0; ; offset += pageSize) {
    const { data } = await client.query<{ statements: { id: string }[] }>(
      page(field),
      { id, limit: pageSize, offset },
      { metadata },
    );
    yield* data.statements;
    if (data.statements.length < pageSize) return;
  }
}
