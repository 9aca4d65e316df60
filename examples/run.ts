import { airports } from './airports.ts';
import { airportsPlain } from './airportsPlain.ts';
import { periodicTable } from './periodicTable.ts';
import { periodicTablePlain } from './periodicTablePlain.ts';

/** Usage: npx tsx examples/run.ts airports http://127.0.0.1:4000 */
const programs = { airports, airportsPlain, periodicTable, periodicTablePlain };
const [name = '', url = 'http://127.0.0.1:4000'] = process.argv.slice(2);
const program = Object.hasOwn(programs, name) ? programs[name as keyof typeof programs] : undefined;
if (program === undefined) throw new Error(`Name one of ${Object.keys(programs).join(', ')}`);
await program(url, (line) => process.stdout.write(`${line}\n`));
