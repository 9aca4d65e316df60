import type { Patch } from '../../client/index.ts';
import { checked } from './checked.ts';
import { Faulty, type Located, type Pieces } from './faulty.ts';
import { linesOf } from './lines.ts';

/** Patches as JSON, one a line; a line that is a statement states it. */
export async function* readPatches(bytes: AsyncIterable<Uint8Array>): Pieces<Patch> {
  for await (const lines of linesOf(bytes)) {
    yield lines
      .filter((line) => line instanceof Faulty || line.value.trim() !== '')
      .map((line) => (line instanceof Faulty ? line : parsed(line)));
  }
}

function parsed({ line, value }: Located<string>): Located<Patch> | Faulty {
  try {
    const read: unknown = JSON.parse(value);
    const isStatement = typeof read === 'object' && read !== null && 'subject' in read;
    return checked(line, isStatement ? { op: 'add', statement: read } : read);
  } catch (error) {
    return new Faulty(line, (error as Error).message);
  }
}
