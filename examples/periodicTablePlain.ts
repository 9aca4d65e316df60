import { add, type ConcordClient, connect, type Patch, replace } from 'concord-client';
import { elementData } from './elementData.ts';

const base = 'https://example.org/examples#';
const elementId = (symbol: string) => `${base}Element?symbol=${encodeURIComponent(symbol)}`;
const blockId = (letter: string) => `${base}Block?letter=${encodeURIComponent(letter)}`;
const element = (symbol: string) => ({ id: elementId(symbol), type: `${base}Element` });
const block = (letter: string) => ({ id: blockId(letter), type: `${base}Block` });

async function send(agent: ConcordClient, patches: Patch[]): Promise<void> {
  for (let start = 0; start < patches.length; start += 2_000) {
    const result = await agent.update(patches.slice(start, start + 2_000));
    if (!result.success) throw new Error(result.verificationDetails);
  }
}

interface Row {
  symbol: string | null;
  meltingPoint: number | null;
  block: { letter: string | null } | null;
}

/** The same as `periodicTable`, by statements. */
export async function periodicTablePlain(url: string, print: (line: string) => void): Promise<void> {
  const as = (agentId: string) => connect(url, { agentId });
  const [chemist, handbook, student] = await Promise.all(['chemist', 'handbook', 'student'].map(as));
  if (!chemist || !handbook || !student) return;

  await send(
    chemist,
    [...'spdf'].map((letter) => add(block(letter), `${base}letter`, letter)),
  );
  await send(
    chemist,
    elementData.flatMap(([symbol, name, number, letter]) => [
      add(element(symbol), `${base}symbol`, symbol),
      replace(element(symbol), `${base}name`, name),
      replace(element(symbol), `${base}number`, number),
      replace(element(symbol), `${base}block`, block(letter)),
    ]),
  );
  const fromHandbook = { certainty: 0.95, provenance: { source: 'Handbook, 105th edition' } };
  await send(
    handbook,
    elementData.map(([symbol, , , , meltingPoint]) =>
      replace(element(symbol), `${base}meltingPoint`, meltingPoint, fromHandbook),
    ),
  );
  const measured = { certainty: 0.4, provenance: { timestamp: '2026-03-01' } };
  await send(
    student,
    elementData.flatMap(([symbol, , , , , meltingPoint]) =>
      meltingPoint === undefined ? [] : [add(element(symbol), `${base}meltingPoint`, meltingPoint, measured)],
    ),
  );

  const { data } = await student.query<{ elements: Row[] }>(
    `query ($above: Float, $block: ID) {
      elements(
        where: {meltingPoint: {gt: $above}, block: {letter: {eq: $block}}}
        sort: [{number: ASC}]
      ) { symbol meltingPoint block { letter } }
    }`,
    { above: 1_700, block: 'd' },
  );
  for (const { symbol, meltingPoint, block } of data.elements) print(`${symbol} (${block?.letter}): ${meltingPoint} K`);
}
