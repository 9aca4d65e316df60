import { country, predicates } from '../../demo/names.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import { call } from './client.ts';
import { countries } from './graph.ts';

/** Sends updates of one statement each; no statement comes twice. */
export class SingleStatements {
  private readonly url: string;
  private count = 0;

  constructor(url: string) {
    this.url = url;
  }

  /** States a link between two countries that isn't there yet. */
  send(): Promise<UpdateResult> {
    const number = this.count++;
    const codes = countries.map(({ cca3 }) => cca3);
    const subject = codes[number % codes.length] ?? '';
    // The steps through the objects are longer than any country's list of neighbours in the data is.
    const object = codes[(number + 1 + Math.floor(number / codes.length)) % codes.length] ?? '';
    const statement = {
      subject: country(subject),
      predicate: { id: predicates.borders },
      object: country(object),
      graph: 'urn:concord:bench',
      certainty: 0.5,
      provenance: { method: 'bench' },
    };
    return call(this.url, 'knowledge/update', {
      sourceAgentId: 'bench',
      mutations: [{ op: 'add', statement }],
    });
  }
}
