import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { StartupError } from '../../base/errors.ts';
import { emptyTally, type Tally } from './tally.ts';

const count = z.int().min(0);
const stored = z.object({
  /** What is imported, and how it is cut. */
  import: z.string(),
  /** So many batches from the beginning are done with. */
  batches: count,
  /** Makes the keys of this import its own (`--again`). */
  nonce: z.string().optional(),
  tally: z.object({
    applied: count,
    unchanged: count,
    repeated: count,
    rejected: count,
    pending: count,
    suppressed: count.default(0),
  }),
});
export type Progress = z.output<typeof stored>;

/** Where an import stands, in a small file beside what is imported, so that another run can go on there. */
export class ImportState {
  private file: string | undefined;
  private writing: Promise<void> = Promise.resolve();
  progress: Progress;

  private constructor(file: string | undefined, progress: Progress) {
    this.file = file;
    this.progress = progress;
  }

  /**
   * @param file where it is kept; without one it isn't
   * @param id stands for the content and for how it is cut into batches
   * @throws StartupError where the file is of another import
   */
  static async open(file: string | undefined, id: string, nonce?: string): Promise<ImportState> {
    const fresh: Progress = { import: id, batches: 0, ...(nonce && { nonce }), tally: emptyTally() };
    const text = file && (await readFile(file, 'utf8').catch(absent));
    if (!text) return new ImportState(file, fresh);
    const { data } = stored.safeParse(JSON.parse(text));
    if (data?.import === id) return new ImportState(file, data);
    throw new StartupError(
      `${file} is of another import: of another content, or with another --batch, --graph or --format. Delete it to begin anew.`,
    );
  }

  /** Keeps it from now on, if it isn't kept already. */
  keepIn(file: string | undefined): void {
    if (this.file !== undefined || file === undefined) return;
    this.file = file;
    this.save(this.progress.batches, this.progress.tally);
  }

  /** So many batches are done with. */
  save(batches: number, tally: Tally): void {
    this.progress = { ...this.progress, batches, tally: { ...tally } };
    const { file } = this;
    if (file === undefined) return;
    const text = JSON.stringify(this.progress);
    this.writing = this.writing.then(async () => {
      // Whole or not at all, whenever the process ends.
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
    });
    // It is awaited at the end, and tells its fault there.
    this.writing.catch(() => {});
  }

  /** @throws what the operating system says */
  async saved(): Promise<void> {
    await this.writing;
  }

  /** The import is complete. */
  async remove(): Promise<void> {
    await this.writing;
    if (this.file !== undefined) await rm(this.file, { force: true });
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
