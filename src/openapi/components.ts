import { z } from 'zod';

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 has it. */
export type JsonSchema = Record<string, unknown>;

const options = (io: 'input' | 'output') =>
  ({
    io,
    // What only a program can check is left to it.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }) => {
      const { def } = zodSchema._zod;
      // A list whose length is checked before its items are.
      if (def.type !== 'pipe' || def.in._zod.def.type !== 'array' || def.out._zod.def.type !== 'array') return;
      const { items } = z.toJSONSchema(def.out, options(io));
      Object.assign(jsonSchema, { items });
    },
  }) satisfies z.core.ToJSONSchemaParams;

/** The schemas of a description, by their names. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** What a request is checked by, as it is sent. @returns what refers to it */
  asked(name: string, schema: z.ZodType): JsonSchema {
    return this.add(name, schema, 'input');
  }

  /** What an answer is. @returns what refers to it */
  answered(name: string, schema: z.ZodType): JsonSchema {
    return this.add(name, schema, 'output');
  }

  private add(name: string, schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const place = `#/components/schemas/${name}`;
    if (!this.schemas[name]) {
      const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, options(io));
      this.schemas[name] = moved(own, name);
      for (const [part, each] of Object.entries($defs)) this.schemas[`${name}.${part}`] = moved(each as object, name);
    }
    return { $ref: place };
  }
}

/** References from a schema into itself lead to where it stands in the description. */
function moved(schema: object, name: string): JsonSchema {
  const text = JSON.stringify(schema);
  const own = text.replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${name}"`);
  return JSON.parse(own.replaceAll('"$ref":"#/$defs/', `"$ref":"#/components/schemas/${name}.`));
}
