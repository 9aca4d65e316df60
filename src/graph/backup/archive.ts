import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { StartupError } from '../../base/errors.ts';
import type { PackedProperties } from './properties.ts';

/** Of the lines below; a restore refuses any other. */
const format = 1;

/** A constraint or index, and the command that makes it. */
export interface SchemaRule {
  name: string;
  command: string;
}

/** What stands before the graph. */
export interface Head {
  /** ISO 8601. */
  takenAt: string;
  /** Constraints first. */
  schema: SchemaRule[];
}

/** A number that tells it from others in this file, labels, properties. */
export type NodeLine = ['node', number, string[], PackedProperties];
/** Type, the numbers of its two ends, properties. */
export type RelationshipLine = ['relationship', string, number, number, PackedProperties];
export type GraphLine = NodeLine | RelationshipLine;

export interface Counts {
  nodes: number;
  relationships: number;
}

/** The last line: of all lines before it. */
interface Foot extends Counts {
  sha256: string;
}

/**
 * Writes the lines of a backup, to standard output where the file is `-`. A file gets its name only when it is whole, and
 * only its owner may read it.
 */
export async function writeArchive(file: string, head: Head, graph: AsyncIterable<GraphLine>): Promise<Counts> {
  const part = `${file}.part`;
  const counts: Counts = { nodes: 0, relationships: 0 };
  async function* lines() {
    const hash = createHash('sha256');
    const line = (value: object) => {
      const text = `${JSON.stringify(value)}\n`;
      hash.update(text);
      return text;
    };
    yield line({ concordBackup: format, ...head });
    for await (const each of graph) {
      counts[each[0] === 'node' ? 'nodes' : 'relationships'] += 1;
      yield line(each);
    }
    yield `${JSON.stringify({ ...counts, sha256: hash.digest('hex') } satisfies Foot)}\n`;
  }
  if (file === '-') {
    await pipeline(Readable.from(lines()), createGzip(), process.stdout, { end: false });
    return counts;
  }
  try {
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(part, { mode: 0o600 }));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return counts;
}

/**
 * Reads a whole backup and compares it with what its last line says.
 * @throws StartupError where it isn't one, or isn't whole
 */
export async function checkArchive(file: string): Promise<Head & Counts> {
  const hash = createHash('sha256');
  const counts: Counts = { nodes: 0, relationships: 0 };
  let head: Head | undefined;
  let last: string | undefined;
  for await (const line of linesOf(file)) {
    if (last !== undefined) {
      hash.update(`${last}\n`);
      if (head === undefined) head = headOf(last, file);
      else counts[last.startsWith('["node"') ? 'nodes' : 'relationships'] += 1;
    }
    last = line;
  }
  const foot = footOf(last);
  const isWhole = foot.sha256 === hash.digest('hex');
  if (head === undefined || !isWhole || foot.nodes !== counts.nodes || foot.relationships !== counts.relationships) {
    throw new StartupError(`${file} is no backup of Concord's, or not a whole one. Nothing was restored.`);
  }
  return { ...head, ...counts };
}

/** The nodes and relationships of a backup that was checked, in their order. */
export async function* graphOf(file: string): AsyncGenerator<GraphLine> {
  for await (const line of linesOf(file)) if (line.startsWith('[')) yield JSON.parse(line) as GraphLine;
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const packed = createReadStream(file);
  const text = packed.pipe(createGunzip());
  packed.on('error', (error) => text.destroy(error));
  try {
    yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY });
    if (text.errored) throw text.errored;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    // Of the operating system: there is no such file.
    if (/^E[A-Z]+$/.test(code)) throw error;
    throw new StartupError(`${file} cannot be unpacked: ${message}. Nothing was restored from there on.`);
  } finally {
    packed.destroy();
  }
}

function headOf(line: string, file: string): Head {
  const { concordBackup, ...head } = parsed(line) as Head & { concordBackup?: unknown };
  if (concordBackup === format) return head;
  const what = concordBackup === undefined ? "no backup of Concord's" : `a backup of the format ${concordBackup}`;
  throw new StartupError(`${file} is ${what}; this version takes the format ${format}.`);
}

function footOf(line: string | undefined): Partial<Foot> {
  return line === undefined ? {} : (parsed(line) as Partial<Foot>);
}

function parsed(line: string): object {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
