import { z } from 'zod';
import type { ClosedIris } from '../graph/names/closed.ts';
import type { Principal } from './principal.ts';

const name = z
  .string()
  .refine((text) => text.trim() === text && text !== '', 'is empty or begins or ends with a space');
const names = z.array(name).min(1, 'is empty');

/** Principals by tenant and agent; where both are given, both must fit. */
const whom = z
  .strictObject({ tenants: names.optional(), agents: names.optional() })
  .refine(({ tenants, agents }) => tenants ?? agents, 'names neither tenants nor agents');

const closing = z
  .strictObject({
    /** What a refusal tells in `data.rule`. */
    rule: name,
    /** IRIs. */
    classes: names.optional(),
    /** IRIs. */
    predicates: names.optional(),
    /** Absent means everyone. */
    to: whom.optional(),
    except: whom.optional(),
  })
  .refine(({ classes, predicates }) => classes ?? predicates, 'names neither classes nor predicates');

const policyFile = z.strictObject({ closed: z.array(closing) });

type Whom = z.output<typeof whom>;

/** Which classes and predicates are closed to whom. */
export class Policy {
  private constructor(private readonly closings: z.output<typeof closing>[]) {}

  /**
   * Reads the text of a policy file: JSON, as docs/security.md shows it.
   * @throws Error with the path of each fault
   */
  static parse(text: string): Policy {
    const parsed = policyFile.safeParse(JSON.parse(text));
    if (parsed.success) return new Policy(parsed.data.closed);
    const faults = parsed.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`,
    );
    throw new Error(faults.join('; '));
  }

  /** What is closed to a principal; undefined where nothing is. */
  closedTo(principal: Principal): ClosedIris | undefined {
    const classes = new Map<string, string>();
    const predicates = new Map<string, string>();
    for (const each of this.closings) {
      if (each.to && !mayBeOneOf(principal, each.to)) continue;
      if (each.except && isOneOf(principal, each.except)) continue;
      // The first rule that closes something names it.
      for (const iri of each.classes ?? []) if (!classes.has(iri)) classes.set(iri, each.rule);
      for (const iri of each.predicates ?? []) if (!predicates.has(iri)) predicates.set(iri, each.rule);
    }
    return classes.size + predicates.size > 0 ? { classes, predicates } : undefined;
  }
}

function isOneOf({ tenant, agentId }: Principal, { tenants, agents }: Whom): boolean {
  return (
    (tenants?.includes(tenant) ?? true) && (agents === undefined || (agentId !== undefined && agents.includes(agentId)))
  );
}

/** The local principal may speak for any agent, so what is closed to one is closed to it. */
function mayBeOneOf(principal: Principal, { tenants, agents }: Whom): boolean {
  return isOneOf(principal, { tenants, ...(principal.agentId !== undefined && { agents }) });
}
