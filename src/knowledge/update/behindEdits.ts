import { EditsWait } from './commit.ts';

/** What takes the edits that somebody has made by hand; absent where nothing does. */
export type TakeEdits = (tenant: string) => Promise<void>;

/** Edits may go on coming; behind so many takings the work is done all the same. */
const mostTakings = 3;

/**
 * Does work under a tenant's ledger behind the edits by hand that were committed before it, so that their order is kept.
 * Where edits cannot be taken, the work doesn't wait for them.
 * @param work is told whether it is to throw EditsWait
 */
export async function behindEdits<T>(
  tenant: string,
  takeEdits: TakeEdits | undefined,
  work: (isBehindEdits: boolean) => Promise<T>,
): Promise<T> {
  for (let taken = 0; takeEdits !== undefined && taken < mostTakings; taken++) {
    try {
      return await work(true);
    } catch (error) {
      if (!(error instanceof EditsWait)) throw error;
      await takeEdits(tenant);
    }
  }
  return work(false);
}
