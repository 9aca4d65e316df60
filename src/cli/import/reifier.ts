import type { Quad } from 'n3';
import type { LiteralObject, Statement } from '../../client/index.ts';
import { annotation, rdf } from '../rdf/iris.ts';
import { Faulty, type Located } from './faulty.ts';

/** What the file says about a statement, gathered as it is read. */
export class Reifier {
  /** The identity of the statement, once it is known. */
  statement: string | undefined;
  /** Its subject, predicate and object in the older way of saying it. */
  readonly parts = ['', '', ''];
  certainty: number | undefined;
  provenance: Record<string, unknown> | undefined;
  object: LiteralObject | undefined;
  isAnnotated = false;
  /** All that was said of it; without a statement these are statements themselves. */
  said: Located<Quad>[] = [];

  /**
   * @param part the object as statements are identified by it
   * @returns what is wrong with the annotation, if it cannot be taken
   */
  take(line: number, predicate: string, object: Statement['object'], part: string): Faulty | undefined {
    const place = places.indexOf(predicate);
    if (place >= 0) {
      this.parts[place] = part;
      return undefined;
    }
    if ('id' in object && predicate === rdf.type && object.id === rdf.statement) return undefined;
    this.isAnnotated = true;
    const value = 'id' in object ? object.id : object.value;
    switch (predicate) {
      case annotation.certainty:
        if (typeof value !== 'number') return new Faulty(line, 'the certainty is not a number');
        this.certainty = value;
        return undefined;
      case annotation.provenance:
        return this.takeJson(line, value, 'provenance', (read) => {
          this.provenance = { ...this.provenance, ...read };
        });
      case annotation.object:
        return this.takeJson(line, value, 'object', (read) => {
          this.object = read as unknown as LiteralObject;
        });
      case annotation.observedAt:
      case annotation.source:
      case annotation.graph:
        return undefined;
      default:
        this.addProvenance(predicate, value);
        return undefined;
    }
  }

  /** Another vocabulary's annotation: a member of provenance by its IRI, or a list where there are several. */
  private addProvenance(predicate: string, value: unknown): void {
    const earlier = this.provenance?.[predicate];
    const all = earlier === undefined ? value : [...(Array.isArray(earlier) ? earlier : [earlier]), value];
    this.provenance = { ...this.provenance, [predicate]: all };
  }

  private takeJson(
    line: number,
    text: unknown,
    what: string,
    take: (read: Record<string, unknown>) => void,
  ): Faulty | undefined {
    try {
      const read: unknown = JSON.parse(String(text));
      if (typeof read !== 'object' || read === null || Array.isArray(read)) throw new Error('is no object');
      take(read as Record<string, unknown>);
      return undefined;
    } catch (error) {
      return new Faulty(line, `the ${what} is not a JSON object: ${(error as Error).message}`);
    }
  }
}

const places: string[] = [rdf.subject, rdf.predicate, rdf.object];
