import type { Patch } from '../../src/knowledge/patch.ts';
import type { Bench, Figure } from './bench.ts';
import { batch, concordSide, driverSide, type ImportSide } from './importSides.ts';
import { wordnet } from './wordnet.ts';

/**
 * WordNet by `concord import` beside the same edges by the driver. They take turns, a part of the statements each time,
 * so that neither has the machine's better moments; one importer reads all parts.
 */
export async function measureImport(bench: Bench): Promise<Figure[]> {
  const size = bench.quick ? 20_000 : 100_000;
  const all = wordnet(bench.quick ? 3 * size : Number.POSITIVE_INFINITY);
  bench.say('Starting two more Neo4j for the import');
  const warmUp = await otherWords(bench.quick ? 6_000 : 30_000);
  const sides = {
    concord: new Measured('concord import', await concordSide(bench, warmUp)),
    driver: new Measured('driver, UNWIND and MERGE', await driverSide(bench, warmUp)),
  };
  let count = 0;
  for await (const { patches, isLast } of partsOf(all, size)) {
    const turns = count % (2 * size) ? [sides.driver, sides.concord] : [sides.concord, sides.driver];
    for (const side of turns) await side.write(patches, isLast);
    count += patches.length;
    const rates = turns.map(({ name, rates }) => `${name} ${Math.round(rates.at(-1) ?? 0)}/s`);
    bench.say(`${count.toLocaleString('en')} statements: ${rates.join(', ')}`);
  }
  const group = `WordNet, ${count.toLocaleString('en')} statements in batches of ${batch.toLocaleString('en')}`;
  const [first, last] = [`first ${size.toLocaleString('en')}`, `last ${size.toLocaleString('en')}`];
  const rows = ({ name, rate, rates }: Measured): Figure[] => [
    { group, name, column: 'all', value: rate, unit: '/s' },
    { group, name, column: first, value: rates[0] ?? Number.NaN, unit: '/s' },
    { group, name, column: last, value: rates.at(-1) ?? Number.NaN, unit: '/s' },
  ];
  const percent = (100 * sides.concord.rate) / sides.driver.rate;
  return [
    ...rows(sides.concord),
    ...rows(sides.driver),
    { group, name: 'concord import / driver', column: 'all', value: percent, unit: '%', aim: '>= 60 %' },
    ...sides.concord.figures(),
    ...sides.driver.figures(),
  ];
}

/** A side, and how fast it wrote. */
class Measured {
  readonly name: string;
  /** Statements a second of each part. */
  readonly rates: number[] = [];
  private readonly side: ImportSide;
  private statements = 0;
  private seconds = 0;

  constructor(name: string, side: ImportSide) {
    this.name = name;
    this.side = side;
  }

  /** Statements a second of all parts. */
  get rate(): number {
    return this.statements / this.seconds;
  }

  async write(patches: Patch[], isLast: boolean): Promise<void> {
    const { statements, seconds } = await this.side.write(patches, isLast);
    this.statements += statements;
    this.seconds += seconds;
    this.rates.push(statements / seconds);
  }

  figures(): Figure[] {
    return this.side.figures();
  }
}

/** The beginning of WordNet about other things, to warm up with. */
async function otherWords(count: number): Promise<Patch[]> {
  const other = ({ id, type }: { id: string; type?: string }) => ({ id: `${id}/other`, type });
  const patches: Patch[] = [];
  for await (const { op, statement } of wordnet(count)) {
    const { subject, object } = statement;
    const about = { subject: other(subject), object: 'id' in object ? other(object) : object };
    patches.push({ op, statement: { ...statement, ...about } });
  }
  return patches;
}

/** Cuts them so that the last part is a whole one too: the one before it is what is over. */
async function* partsOf(
  all: AsyncIterable<Patch>,
  size: number,
): AsyncGenerator<{ patches: Patch[]; isLast: boolean }> {
  const waiting: Patch[] = [];
  for await (const patch of all) {
    waiting.push(patch);
    if (waiting.length === 2 * size) yield { patches: waiting.splice(0, size), isLast: false };
  }
  const over = waiting.length - size;
  if (over > 0) yield { patches: waiting.splice(0, over), isLast: false };
  yield { patches: waiting, isLast: true };
}
