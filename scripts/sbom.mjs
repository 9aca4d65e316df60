// Prints what runs with Concord as a CycloneDX document, the same each time: its time is SOURCE_DATE_EPOCH, and it has
// no number of its own. Reads the lock file of the working folder and asks no registry.
import { execFileSync } from 'node:child_process';

const list = ['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const bill = JSON.parse(
  execFileSync('npm', list, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  }),
);

delete bill.serialNumber;
bill.metadata.timestamp = new Date(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * 1_000).toISOString();
// npm takes the name of the folder.
bill.metadata.component.name = 'concord';
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
