import { buildTools, tools } from './tools.ts';

await buildTools((line) => process.stderr.write(`${line}\n`));
process.stderr.write(`The chart's tools are in ${tools}\n`);
