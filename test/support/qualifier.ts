import { qualifiedText } from '../../src/graph/qualify/qualifiedText.ts';
import {
  type Conditions,
  type PageAsked,
  type ProjectedField,
  withValues,
  writtenFor,
} from '../../src/graph/qualify/qualifier.ts';

export * from '../../src/graph/qualify/qualifier.ts';

/** Rewrites Cypher as `QualifierThread` does, in this thread and without a cache. */
export class Qualifier {
  private readonly fields: ReadonlyMap<string, ProjectedField>;

  constructor(fields: ReadonlyMap<string, ProjectedField>) {
    this.fields = fields;
  }

  qualify(cypher: string, conditions: Conditions, consults = false, isOwn = false, page?: PageAsked) {
    return withValues(qualifiedText(this.fields, writtenFor(cypher, conditions, consults, isOwn, page)), conditions);
  }
}
