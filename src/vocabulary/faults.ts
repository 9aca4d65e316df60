import { type ASTNode, type GraphQLError, getLocation, type Source } from 'graphql';
import { StartupError } from '../base/errors.ts';

/** A vocabulary that cannot be used. The message has one line a fault: `file:line:column: reason`. */
export class VocabularyError extends StartupError {
  override name = 'VocabularyError';
}

/** Gathers the faults of one file, so that all of them are shown at once. */
export class Faults {
  private readonly found = new Map<string, { line: number; column: number }>();

  constructor(private readonly source: Source) {}

  /** Notes a fault at the start of a node, or of the file. */
  at(node: ASTNode | undefined, reason: string): void {
    this.note(getLocation(this.source, node?.loc?.start ?? 0), reason);
  }

  /** Notes what graphql found. Of several places it names the last, which is the one too many. */
  from(error: GraphQLError): void {
    this.note(error.locations?.at(-1) ?? { line: 1, column: 1 }, error.message);
  }

  /** @throws VocabularyError with every fault so far, in the order of the file. */
  throwIfAny(): void {
    if (this.found.size === 0) return;
    const sorted = [...this.found].sort(([, a], [, b]) => a.line - b.line || a.column - b.column);
    throw new VocabularyError(sorted.map(([line]) => line).join('\n'));
  }

  private note(place: { line: number; column: number }, reason: string): void {
    const oneLine = reason.replace(/\s+/g, ' ');
    this.found.set(`${this.source.name}:${place.line}:${place.column}: ${oneLine}`, place);
  }
}
