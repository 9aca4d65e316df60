import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import type { Database } from '../database/database.ts';
import { Dictionary } from '../names/dictionary.ts';
import { recordVocabulary } from './installedVocabulary.ts';
import { installVocabulary } from './installVocabulary.ts';
import { migrate } from './migrations.ts';
import { withSetupLock } from './setupLock.ts';
import { atTheStart, checkVocabulary, type Finding } from './vocabularyCheck.ts';

export interface SetUpParts {
  vocabulary: Vocabulary;
  /** Told what a changed vocabulary hides, before anything of it is written; it throws where that isn't to be. */
  judge(findings: Finding[]): void;
  /** What must be so before anything is changed: it rejects where it isn't. */
  required?: Promise<void>;
  /** Tells in words what takes a while. */
  report(line: string): void;
  /** Ends it at once, and gives the next replica its turn. */
  signal?: AbortSignal;
}

/**
 * Brings a database up to what this version and the vocabulary need: migrations, names, indexes, projections. Replicas
 * that start together do so one after another; for all but the first there is little left.
 */
export function setUpGraph(
  database: Database,
  { vocabulary, judge, required, report, signal }: SetUpParts,
): Promise<Dictionary> {
  // It may be found out while another replica has the lock.
  required?.catch(() => {});
  return withSetupLock(database, { report, signal }, async () => {
    await required;
    await migrate(database);
    const dictionary = await Dictionary.load(database);
    const findings = await checkVocabulary(database, vocabulary, atTheStart);
    if (findings) judge(findings);
    await installVocabulary(database, dictionary, vocabulary, report);
    await recordVocabulary(database, vocabulary);
    return dictionary;
  });
}
