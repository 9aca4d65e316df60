import { createHash } from 'node:crypto';
import { existsSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from './programs.ts';

/** Where operators say so themselves, what they say holds. */
const saidByOperators = /-Xshare|SharedArchiveFile|ArchiveClassesAtExit/;

/**
 * Neo4j's classes as Java has read them once, beside the jars: the next start takes them from there (class data
 * sharing). One for each Java. One that doesn't fit, Java goes on without.
 */
export class ClassArchive {
  private readonly file: string;
  private readonly isWanted: boolean;

  constructor(jars: string, java: string, { JDK_JAVA_OPTIONS = '', JAVA_TOOL_OPTIONS = '' }: Environment) {
    this.file = `${jars}-${buildOf(java)}.jsa`;
    this.isWanted = !saidByOperators.test(`${JDK_JAVA_OPTIONS} ${JAVA_TOOL_OPTIONS}`);
  }

  /** To start Java with: to use the archive, or to write it when it ends. */
  get flags(): string[] {
    if (!this.isWanted) return [];
    return [existsSync(this.file) ? `-XX:SharedArchiveFile=${this.file}` : `-XX:ArchiveClassesAtExit=${this.part}`];
  }

  /** Whether Java writes it when it ends, which takes seconds. */
  get isToCome(): boolean {
    return this.isWanted && !existsSync(this.file);
  }

  /** Takes what Java has written, if it has, in the place of those of other Javas and jars. */
  keep(): void {
    if (!existsSync(this.part)) return;
    const folder = dirname(this.file);
    for (const name of readdirSync(folder)) {
      if (/^lib-.*\.jsa$/.test(name) && name !== basename(this.file)) rmSync(join(folder, name), { force: true });
    }
    renameSync(this.part, this.file);
  }

  /** Removes what may be half of one. */
  discard(): void {
    rmSync(this.part, { force: true });
  }

  private get part(): string {
    return `${this.file}.part`;
  }
}

/** Tells one build of Java from others without starting it. */
function buildOf(java: string): string {
  const program = realpathSync(java);
  return createHash('sha256')
    .update(`${program} ${statSync(program).mtimeMs}`)
    .digest('hex')
    .slice(0, 8);
}
