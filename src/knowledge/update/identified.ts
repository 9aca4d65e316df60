import { statementIdOf } from '../../graph/statements/statement.ts';
import type { Patch } from '../patch.ts';
import type { IdentifiedPatch } from './applyPatches.ts';

/** Patches with the identity that their statements have in a tenant. */
export function identified(tenant: string, patches: Patch[]): IdentifiedPatch[] {
  return patches.map((each) => ({ ...each, statementId: statementIdOf(tenant, each.statement) }));
}
