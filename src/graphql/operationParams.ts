import { z } from 'zod';
import { optional } from '../knowledge/patch.ts';

/** A subscription as GraphQL's transports have it. */
export const operationParams = z.object({
  query: z.string().min(1, 'is empty').max(100_000, 'is longer than 100000 characters'),
  operationName: optional(z.string()),
  variables: optional(z.record(z.string(), z.unknown())),
});
