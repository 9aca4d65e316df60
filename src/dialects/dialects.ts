import type { Dialect } from '../a2a/handler/dialect.ts';
import { kernel } from './kernel/kernel.ts';

/** The dialects of the task methods on `POST /a2a`. */
export const dialects: readonly Dialect[] = [kernel];
