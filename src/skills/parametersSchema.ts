import { z } from 'zod';
import type { Skill } from './skill.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

const options = {
  // As it is sent: before defaults and what it becomes.
  io: 'input',
  // What only a program can check is left to it.
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }) => {
    const { def } = zodSchema._zod;
    // A list whose length is checked before its items are.
    if (def.type !== 'pipe' || def.in._zod.def.type !== 'array' || def.out._zod.def.type !== 'array') return;
    const { items } = z.toJSONSchema(def.out, options);
    Object.assign(jsonSchema, { items });
  },
} satisfies z.core.ToJSONSchemaParams;

/**
 * What a skill takes, as JSON Schema: the form of its input. Whether names are of the vocabulary, and how values and
 * datatypes fit, it doesn't say.
 */
export function parametersSchema({ parameters, example }: Pick<Skill, 'parameters' | 'example'>): JsonSchema {
  const { skill: _, ...input } = example as JsonSchema;
  const schema = parameters ? z.toJSONSchema(parameters, options) : { type: 'object' };
  return { ...(schema as JsonSchema), examples: [input] };
}
