import { connect, typed } from 'concord-client';
import { elementData } from './elementData.ts';
import { vocabulary } from './vocabulary.ts';

/** A periodic table by three agents: one lays it out, and two disagree about melting points. */
export async function periodicTable(url: string, print: (line: string) => void): Promise<void> {
  const as = async (agentId: string) => typed(await connect(url, { agentId }), vocabulary);
  const [chemist, handbook, student] = await Promise.all(['chemist', 'handbook', 'student'].map(as));
  if (!chemist || !handbook || !student) return;

  for (const letter of 'spdf') await chemist.put('Block', { letter });
  await chemist.sendAll(
    elementData.map(([symbol, name, number, letter]) =>
      chemist.entity('Element', { symbol, name, number, block: { letter } }),
    ),
  );
  await handbook.sendAll(
    elementData.map(([symbol, , , , meltingPoint]) =>
      handbook.entity('Element', { symbol, meltingPoint }, { certainty: 0.95, source: 'Handbook, 105th edition' }),
    ),
  );
  const measured = elementData.flatMap(([symbol, , , , , meltingPoint]) =>
    meltingPoint === undefined
      ? []
      : [student.entity('Element', { symbol, meltingPoint }, { op: 'add', certainty: 0.4, observedAt: '2026-03-01' })],
  );
  await student.sendAll(measured);

  const hard = await student.elements({
    where: { meltingPoint: { gt: 1_700 }, block: { letter: { eq: 'd' } } },
    select: { symbol: true, meltingPoint: true, block: { letter: true } },
    sort: [{ number: 'ASC' }],
  });
  for (const { symbol, meltingPoint, block } of hard) print(`${symbol} (${block?.letter}): ${meltingPoint} K`);
}
