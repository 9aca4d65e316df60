import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Span } from '@opentelemetry/api';
import pLimit, { type LimitFunction } from 'p-limit';
import { deferred } from '../../base/deferred.ts';
import type { ConcordError } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { isUnavailable } from '../../graph/database/away.ts';
import { OutcomeUnknown } from '../../graph/database/outcomeUnknown.ts';
import { withSpan } from '../../telemetry/tracing.ts';
import { NotAligned } from './commit.ts';
import type { Committer } from './committer.ts';
import type { Proposal, Verdict } from './plan.ts';
import { Crowd } from './shares/crowd.ts';
import { type Group, patchesPerGroup, takeGroup } from './shares/fairGroup.ts';
import { Offenders } from './shares/offenders.ts';

interface WriteQueueParts {
  committer: Pick<Committer, 'commit'>;
  /** Proposals that may wait in a tenant's queue. */
  maxWaiting: number;
}

/**
 * Transactions of different tenants at a time; whose turn it isn't queues, so that a busy tenant leaves the others
 * theirs.
 */
const transactionsAtOnce = 8;

/** Patches that may wait in a tenant's queue, for an update can hold many. */
const patchesWaiting = 100_000;
/** After so many groups of a tenant's others it is an offender's turn. */
const groupsPerOffence = 8;

interface QueuedProposal {
  proposal: Proposal;
  span: Span;
  /** Runs work as a part of the proposal's own trace. */
  inTrace<T>(work: () => T): T;
  resolve(verdict: Verdict): void;
  reject(error: unknown): void;
}

/**
 * The way of every proposal into the graph. Those of one tenant that arrive while a transaction of it is under way wait
 * and are committed together in the next one, in the order of their arrival; each gets its own verdict. DESIGN,
 * "Patches".
 */
export class WriteQueue {
  private readonly turns: LimitFunction = pLimit(transactionsAtOnce);
  /** Of the tenants that a transaction is under way for. */
  private readonly waiting = new Map<string, QueuedProposal[]>();
  private readonly crowd = new Crowd();
  private readonly offenders = new Offenders();

  constructor(private readonly parts: WriteQueueParts) {}

  /** Proposals that wait, of all tenants. */
  get length(): number {
    return [...this.waiting.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  /**
   * @throws NotAligned with the index 0, where rules don't let it through
   * @throws ConcordError -32011 `queue-full`
   */
  commit(proposal: Proposal): Promise<Verdict> {
    return withSpan('commit', {}, (span) => {
      const resource = new AsyncResource('proposal');
      const inTrace = <T>(work: () => T) => resource.runInAsyncScope(work);
      return new Promise((resolve, reject) => this.enter({ proposal, span, inTrace, resolve, reject }));
    });
  }

  private enter(entry: QueuedProposal): void {
    const { tenant } = entry.proposal;
    this.crowd.note(tenant, entry.proposal.update.sourceAgentId);
    const queue = this.waiting.get(tenant);
    if (queue === undefined) {
      this.waiting.set(tenant, [entry]);
      void this.work(tenant);
    } else if (queue.length >= this.parts.maxWaiting || patchesIn(queue) >= patchesWaiting) {
      entry.reject(queueFull(queue.length));
    } else queue.push(entry);
  }

  /** Commits what waits for a tenant, a group at a time, until nothing does. */
  private async work(tenant: string): Promise<void> {
    const queue = this.waiting.get(tenant) ?? [];
    const turn = { groups: 0 };
    while (queue.length > 0) {
      const last = await this.commitNext(tenant, queue, turn);
      if (last !== undefined && last.size > 1) await waitForLastSize(queue, last);
    }
    this.waiting.delete(tenant);
  }

  /**
   * Takes the next group out of a tenant's queue and commits it.
   * @returns when it is committed; or undefined when only that is left and the one after it is full, so that it has
   *   nothing to wait for: Neo4j has its first queries at hand then, behind the lock of the tenant's ledger
   */
  private commitNext(tenant: string, queue: QueuedProposal[], turn: Turn): Promise<SettledGroup | undefined> {
    const early = deferred<undefined>();
    const written = () => {
      if (patchesIn(queue) >= patchesPerGroup) early.resolve(undefined);
    };
    // What arrives while others have their turn comes along.
    const settled = this.turns(async () => {
      const group = this.nextGroup(tenant, queue, turn);
      const began = performance.now();
      await this.settle(tenant, group, written);
      return { size: group.length, ms: performance.now() - began };
    });
    return Promise.race([settled, early.promise]);
  }

  /**
   * Somebody whose proposals often break rules pays for that itself: they are committed one by one, and while others
   * wait only after several of their groups.
   */
  private nextGroup(tenant: string, queue: QueuedProposal[], turn: Turn): QueuedProposal[] {
    const { entries, isApart }: Group<QueuedProposal> = takeGroup(queue, {
      isCrowded: (agent) => this.crowd.isCrowded(tenant, agent),
      isApart: (agent) => this.offenders.has(keyOf(tenant, agent)),
      isTurnOfApart: turn.groups >= groupsPerOffence,
    });
    turn.groups = isApart ? 0 : turn.groups + 1;
    return entries;
  }

  /** In the trace of the first; those of the others link to it. */
  private commitTogether(tenant: string, group: QueuedProposal[], written: () => void): Promise<Verdict[]> {
    const [first, ...others] = group;
    const work = () =>
      withSpan('commit group', { 'concord.proposals': group.length }, (span) => {
        for (const other of others) other.span.addLink({ context: span.spanContext() });
        return this.parts.committer.commit(
          tenant,
          group.map(({ proposal }) => proposal),
          written,
        );
      });
    return first ? first.inTrace(work) : Promise.resolve([]);
  }

  /** Commits a group; one that fails is committed in parts, so that each gets what is its own. */
  private async settle(tenant: string, group: QueuedProposal[], written: () => void): Promise<void> {
    try {
      const verdicts = await this.commitTogether(tenant, group, written);
      group.forEach(({ resolve, reject }, index) => {
        const verdict = verdicts[index];
        this.note(tenant, group[index], false);
        if (verdict) resolve(verdict);
        else reject(new Error('A proposal got no verdict'));
      });
    } catch (error) {
      if (group.length === 1 || error instanceof OutcomeUnknown || isUnavailable(error)) {
        if (error instanceof NotAligned) this.note(tenant, group[0], true);
        for (const { reject } of group) reject(error);
        return;
      }
      const parts = error instanceof NotAligned ? around(group, error.violations) : halves(group);
      for (const part of parts) await this.settle(tenant, part, () => {});
    }
  }

  private note(tenant: string, entry: QueuedProposal | undefined, isViolating: boolean): void {
    if (entry) this.offenders.note(keyOf(tenant, entry.proposal.update.sourceAgentId), isViolating);
  }
}

/** How many groups a tenant's others have had since it was an offender's turn. */
interface Turn {
  groups: number;
}

/** A group that is done with. */
interface SettledGroup {
  size: number;
  ms: number;
}

/** Those who have been answered and mean to go on are back sooner. */
const longestReturnMs = 100;

/**
 * Waits for the group to reach its last size, but no longer than half the time that the last one took: who has just
 * been answered often sends the next update at once, and the first of them would else have a transaction to itself.
 */
async function waitForLastSize(queue: QueuedProposal[], last: SettledGroup): Promise<void> {
  const until = performance.now() + Math.min(last.ms / 2, longestReturnMs);
  while (queue.length < last.size && performance.now() < until) await sleep(1);
}

function patchesIn(queue: QueuedProposal[]): number {
  return queue.reduce((sum, { proposal }) => sum + proposal.patches.length, 0);
}

const keyOf = (tenant: string, agent: string) => JSON.stringify([tenant, agent]);

/** The group without those that violate rules, each of which stands alone, in the same order. */
function around(group: QueuedProposal[], violations: NotAligned['violations']): QueuedProposal[][] {
  const parts: QueuedProposal[][] = [];
  group.forEach((entry, index) => {
    const last = parts.at(-1);
    const isAlone = violations.has(index) || violations.has(index - 1);
    if (last === undefined || isAlone) parts.push([entry]);
    else last.push(entry);
  });
  return parts;
}

function halves(group: QueuedProposal[]): QueuedProposal[][] {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}

function queueFull(waiting: number): ConcordError {
  const retryAfterMs = 1_000;
  return refuse(
    'queue-full',
    `${waiting} updates wait already; nothing was applied. Send the update again after ${retryAfterMs} ms.`,
    { retryAfterMs, limit: waiting },
  );
}
