import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import type { Database } from '../database/database.ts';

/** There is one a database: the vocabulary is the same for every tenant. */
const key = 'served';

/** The vocabulary that was served last; undefined where none has been recorded. */
export async function installedVocabulary(database: Database): Promise<Vocabulary | undefined> {
  const [row] = await database.run<{ vocabulary: string }>(
    'READ',
    'MATCH (v:InstalledVocabulary {key: $key}) RETURN v.vocabulary AS vocabulary',
    { key },
  );
  return row && (JSON.parse(row.vocabulary) as Vocabulary);
}

/** Records what the next start compares with. Replicas that start together record the same. */
export async function recordVocabulary(database: Database, vocabulary: Vocabulary): Promise<void> {
  await database.ensure(
    `MERGE (v:InstalledVocabulary {key: $key})
     SET v += CASE WHEN v.vocabulary = $vocabulary THEN {} ELSE {vocabulary: $vocabulary, since: datetime()} END`,
    { key, vocabulary: JSON.stringify(vocabulary) },
  );
}
