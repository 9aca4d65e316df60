import { type Command, Option } from 'commander';
import { counted } from '../base/counted.ts';
import type { ReviewStatus } from '../client/index.ts';
import { type ConnectionOptions, connectTo, withConnection } from './target/connection.ts';
import { exitCodes } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';
import { cell, tableLines } from './terminal/table.ts';

interface ListReviewsOptions extends ConnectionOptions {
  status: ReviewStatus;
  first: number;
  after?: string;
  json?: boolean;
}

const help = `
Examples:
  concord review list
  concord review list --json | jq '.[].mutations'
  concord review approve 7e13f923-83a7-4d38-a0d8-c2745d078453 --agent auditor
  concord review reject 7e13f923-83a7-4d38-a0d8-c2745d078453 --reason 'no source'
`;

/** Adds `concord review`. */
export function addReviewCommand(program: Command, io: Io): void {
  const review = program
    .command('review')
    .description('decide proposals that a rule holds for review')
    .addHelpText('after', help);

  const list = review
    .command('list')
    .description('list proposals, oldest first')
    .addOption(
      new Option('--status <status>', 'which ones').choices(['pending', 'applied', 'rejected']).default('pending'),
    )
    .option('--first <count>', 'at most so many, from 1 to 100', Number, 20)
    .option('--after <update id>', 'behind the last one of the list before')
    .option('--json', 'print a JSON array, with the patches');
  withConnection(list).action((options: ListReviewsOptions) => listProposals(options, io));

  const approve = review
    .command('approve')
    .description('apply a proposal, if the other rules let it through now')
    .argument('<update id>')
    .option('--json', 'print the answer as JSON');
  withConnection(approve).action(async (id: string, options: ConnectionOptions & { json?: boolean }) => {
    const client = await connectTo(options);
    const result = await client.review.approve(id);
    const { success, verificationStatus, statementsAffected, verificationDetails } = result;
    if (options.json) io.print(JSON.stringify(result));
    else
      io.print(
        [`${verificationStatus}: ${counted(statementsAffected, 'statement')} affected`, verificationDetails]
          .filter(Boolean)
          .join('\n'),
      );
    if (!success) process.exitCode = exitCodes.partly;
  });

  const reject = review
    .command('reject')
    .description('refuse a proposal for good')
    .argument('<update id>')
    .option('--reason <text>', 'why')
    .option('--json', 'print the answer as JSON');
  withConnection(reject).action(
    async (id: string, options: ConnectionOptions & { reason?: string; json?: boolean }) => {
      const client = await connectTo(options);
      const { reason } = options;
      const result = await client.review.reject(id, reason === undefined ? {} : { reason });
      io.print(options.json ? JSON.stringify(result) : `${id} is rejected`);
    },
  );
}

async function listProposals(options: ListReviewsOptions, { print, say }: Io): Promise<void> {
  const { status, first, after, json } = options;
  const client = await connectTo(options);
  const proposals = await client.review.list({ status, first, ...(after !== undefined && { after }) });
  if (json) return print(JSON.stringify(proposals));
  const rows = proposals.map(
    ({ updateId, proposedAt, sourceAgentId, mutations, verificationDetails, justification }) => [
      updateId,
      proposedAt.slice(0, 16).replace('T', ' '),
      sourceAgentId,
      mutations === undefined ? '' : String(mutations.length),
      cell(verificationDetails),
      cell(justification),
    ],
  );
  const titles = ['UPDATE', 'PROPOSED', 'AGENT', 'PATCHES', 'WHY IT IS HELD', 'JUSTIFICATION'];
  for (const line of tableLines(titles, rows)) print(line);
  if (rows.length === 0) say(`There are no ${status} proposals.`);
}
