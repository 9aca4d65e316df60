import type { JsonSchema } from '../../../src/openapi/components.ts';
import type { Random } from '../../graph/qualify/random.ts';

/** A value that a JSON Schema lets in, or nearly: made of its types, members, choices and references. */
export class Sampler {
  constructor(
    private readonly random: Random,
    private readonly schemas: Record<string, JsonSchema>,
  ) {}

  of(schema: unknown, depth = 0): unknown {
    const { random } = this;
    if (typeof schema !== 'object' || schema === null) return 1;
    const shape = schema as Record<string, unknown>;
    if ('$ref' in shape) return this.of(this.schemas[String(shape.$ref).split('/').pop() ?? ''], depth);
    if ('const' in shape) return shape.const;
    for (const choice of ['enum', 'anyOf', 'oneOf'] as const) {
      const among = shape[choice];
      if (Array.isArray(among)) return choice === 'enum' ? random.pick(among) : this.of(random.pick(among), depth);
    }
    if (Array.isArray(shape.allOf))
      return Object.assign({}, ...shape.allOf.map((each) => this.of(each, depth)).filter((each) => each !== null));
    const type = Array.isArray(shape.type) ? random.pick(shape.type) : shape.type;
    if (type === 'object' || shape.properties) return this.object(shape, depth);
    if (type === 'array') {
      const least = Number(shape.minItems ?? 0);
      const length = depth > 6 ? least : Math.max(least, random.below(3));
      return Array.from({ length }, () => this.of(shape.items ?? {}, depth + 1));
    }
    return this.scalar(type, shape);
  }

  private object({ properties = {}, required = [] }: Record<string, unknown>, depth: number): object {
    const needed = new Set(required as string[]);
    const members = Object.entries(properties as object).filter(
      ([name]) => needed.has(name) || (depth < 6 && this.random.chance(0.4)),
    );
    return Object.fromEntries(members.map(([name, each]) => [name, this.of(each, depth + 1)]));
  }

  private scalar(type: unknown, { format, minimum = 0 }: Record<string, unknown>): unknown {
    const { random } = this;
    if (type === 'boolean') return random.chance(0.5);
    if (type === 'integer') return Number(minimum) + random.below(5);
    if (type === 'number') return random.next();
    if (type === 'null') return null;
    if (format === 'date-time') return '2026-11-24T12:00:00Z';
    if (format === 'uri') return 'https://agent.invalid/card';
    return random.pick(['a', 'urn:fuzz:a', 'https://schema.org/name', 'query', 'concord', '1', 'application/json']);
  }
}
