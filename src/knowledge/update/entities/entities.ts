import { z } from 'zod';
import { isObject } from '../../../base/isObject.ts';
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts';
import { certainty, identifier, optional, type Patch, patch, text } from '../../patch.ts';
import { provenance, timestamp } from '../../provenance.ts';
import { type EntityTaker, type FieldOfEntity, takeEntity } from './entityPatches.ts';

const members = z
  .custom<Record<string, unknown>>(isObject, 'is not an object of names and values')
  .meta({ type: 'object' });

const entity = z.strictObject({
  op: optional(z.enum(['put', 'add', 'remove', 'replace'])),
  class: z.string('is not the name of a class'),
  id: optional(identifier),
  key: optional(members),
  fields: optional(members),
  graph: optional(identifier),
  certainty: optional(certainty),
  provenance: optional(provenance),
  source: optional(text(2_048).min(1, 'is empty')),
  observedAt: optional(timestamp),
});

/** An entity as it is said: its shape is checked, its names aren't. */
export type SaidEntity = z.output<typeof entity>;

/** What entities come to. */
export interface EntityChanges {
  patches: Patch[];
  /** Fields whose values are all to be taken back. */
  cleared: FieldOfEntity[];
}

/**
 * What is said of entities by the vocabulary's names, as patches in their order, which pass the same check as those of
 * `mutations`. Each fault has the path of what is wrong.
 * @param most patches that an update may have
 */
export function entitiesOf(vocabulary: Vocabulary, most: number) {
  const classes = new Map(vocabulary.classes.map((each) => [each.name, each]));
  return z
    .array(z.unknown())
    .max(most, `holds more than ${most} entities; send several updates`)
    .pipe(z.array(entity))
    .transform((entities, context): EntityChanges => {
      const changes: EntityChanges = { patches: [], cleared: [] };
      // It comes here also where a member too many stands in one.
      if (context.issues.length > 0) return z.NEVER;
      for (const [index, said] of entities.entries()) {
        const fault: EntityTaker['fault'] = (path, message) => {
          context.addIssue({ code: 'custom', message, path: [index, ...path] });
          return undefined;
        };
        takeEntity(classes, said, {
          fault,
          clear: (field) => changes.cleared.push(field),
          patch: (wire, path) => {
            const { data, error } = patch.safeParse(wire);
            if (data) changes.patches.push(data);
            else fault(path, error?.issues[0]?.message ?? 'is not a value');
          },
        });
        if (changes.patches.length + changes.cleared.length > most || context.issues.length > 100) break;
      }
      return context.issues.length > 0 ? z.NEVER : changes;
    });
}
