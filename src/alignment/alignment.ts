import type { RecordShape } from 'neo4j-driver';
import { StartupError } from '../base/errors.ts';
import { groupBy } from '../base/groupBy.ts';
import type { Database } from '../graph/database/database.ts';
import type { Queryable } from '../graph/database/queryable.ts';
import { quoted } from '../graph/names/names.ts';
import type { Violation } from '../wire/types.ts';
import type { Rule } from './rule.ts';

export type { Violation };

/** One statement of an update as rules see it. */
export interface RulePatch {
  op: 'add' | 'remove';
  statementId: string;
  subject: string;
  subjectType: string | null;
  predicate: string;
  relationshipType: string;
  /** Id of an entity object. */
  object: string | null;
  objectType: string | null;
  /** Value of a literal object. */
  value: unknown;
  datatype: string | null;
  graph: string | null;
  certainty: number | null;
}

/** What one update comes to, as the parameters of rules. */
interface Checked {
  affected: string[];
  classified: string[];
  patches: RulePatch[];
  agent: { id: string };
}

/** Enough to explain an update's fate; a patch of 10,000 faults needn't list them all. */
const violationsPerRule = 20;

const columns = ['subject', 'predicate', 'object', 'message'];

/**
 * All rules, as few queries: their parameters travel once and their answers come back in one round trip. Rules that
 * speak of `$agent` are asked for each agent, the others once for all updates together.
 */
export class Alignment {
  readonly rules: readonly Rule[];
  private readonly forAll: string | undefined;
  private readonly forEachAgent: string | undefined;

  private constructor(rules: Rule[]) {
    this.rules = rules;
    const isOfAgent = ({ cypher }: Rule) => /\$agent\b/.test(cypher);
    this.forAll = queryOf(rules, (rule) => !isOfAgent(rule));
    this.forEachAgent = queryOf(rules, isOfAgent);
  }

  /**
   * Prepares the rules and runs them on nothing, which shows that they can be run and warms the database's plan cache.
   * @param functionalTypes relationship types of the vocabulary's functional predicates, which `{{functional}}` stands
   *   for
   * @throws StartupError for a rule that isn't Cypher, writes, or doesn't return the four columns
   */
  static async prepare(database: Database, rules: Rule[], functionalTypes: string[]): Promise<Alignment> {
    const types = functionalTypes.map(quoted).join('|');
    const prepared = rules
      // Without functional predicates there is nothing that such a rule could look at.
      .filter(({ cypher }) => types !== '' || !cypher.includes('{{functional}}'))
      .map((rule) => ({ ...rule, cypher: withLists(rule.cypher.replaceAll('{{functional}}', types)) }));
    const alignment = new Alignment(prepared);
    try {
      await alignment.plan(database);
    } catch (error) {
      for (const rule of prepared) await explain(database, rule);
      throw error;
    }
    return alignment;
  }

  private async plan(database: Database): Promise<void> {
    const nothing = { affected: [], classified: [], patches: [], agent: { id: '' } };
    const run = async (query: string | undefined) => {
      if (query === undefined) return;
      // In a session that only reads, a rule that writes fails as well.
      const session = database.session('READ');
      try {
        await session.run(query, parametersOf('', [nothing]));
      } finally {
        await session.close();
      }
    };
    await Promise.all([run(this.forAll), run(this.forEachAgent)]);
  }

  /** Runs every rule on the state that a tenant's updates have produced in the transaction. */
  async check(tx: Queryable, tenant: string, updates: Checked[]): Promise<Violation[]> {
    const byAgent = [...groupBy(updates, ({ agent }) => agent.id).values()];
    const answers = await Promise.all([
      this.ask(tx, this.forAll, tenant, updates),
      ...byAgent.map((some) => this.ask(tx, this.forEachAgent, tenant, some)),
    ]);
    return answers.flat();
  }

  private async ask(
    tx: Queryable,
    query: string | undefined,
    tenant: string,
    updates: Checked[],
  ): Promise<Violation[]> {
    if (query === undefined) return [];
    const { records } = await tx.run<ViolationRow>(query, parametersOf(tenant, updates));
    return records.flatMap((record) => {
      const { rule: index, subject, predicate, object, message } = record.toObject();
      const rule = this.rules[index];
      if (rule === undefined) return [];
      return {
        rule: rule.name,
        severity: rule.severity,
        ...(subject !== null && { subject }),
        ...(predicate !== null && { predicate }),
        ...(object !== null && { object }),
        message: message ?? rule.message,
      };
    });
  }
}

/** The lists of a rule's parameters are members of a map: Neo4j plans a query anew for each order of size of a list. */
function withLists(cypher: string): string {
  return cypher.replace(/\$(patches|affected|classified|agents)\b/g, '$$in.$1');
}

/** The rules of one kind as one query; undefined without any. Each row tells its rule's index. */
function queryOf(rules: Rule[], isOfKind: (rule: Rule) => boolean): string | undefined {
  const parts = rules.flatMap((rule, index) =>
    isOfKind(rule)
      ? `CALL () {\n${rule.cypher}\n} WITH subject, predicate, object, message LIMIT ${violationsPerRule} RETURN ${index} AS rule, subject, predicate, object, message`
      : [],
  );
  return parts.length > 0 ? parts.join('\nUNION ALL\n') : undefined;
}

/** @param updates one at least; of one agent, where the rules speak of it */
function parametersOf(tenant: string, updates: Checked[]): Record<string, unknown> {
  return {
    tenant,
    agent: updates[0]?.agent,
    in: {
      affected: [...new Set(updates.flatMap(({ affected }) => affected))],
      classified: [...new Set(updates.flatMap(({ classified }) => classified))],
      patches: updates.flatMap(({ patches }) => patches),
      agents: [...new Set(updates.map(({ agent }) => agent.id))],
    },
  };
}

interface ViolationRow extends RecordShape {
  rule: number;
  subject: string | null;
  predicate: string | null;
  object: string | null;
  message: string | null;
}

async function explain(database: Database, rule: Rule): Promise<void> {
  const session = database.session('READ');
  try {
    const { summary } = await session.run(`EXPLAIN CALL () {\n${rule.cypher}\n} RETURN ${columns.join(', ')}`);
    if (summary.queryType !== 'r') throw new Error('it writes; a rule only reads');
  } catch (error) {
    // Neo4j quotes the rule's text in the lines after the first.
    const [reason] = (error as Error).message.split('\n');
    throw new StartupError(`Rule ${rule.name}: ${reason}`, { cause: error });
  } finally {
    await session.close();
  }
}
