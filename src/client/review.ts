import type { Proposal, ReviewStatus, UpdateResult } from '../wire/types.ts';
import type { CallOptions } from './options.ts';
import type { Rpc } from './rpc.ts';

/** Which proposals to list. */
export interface ListOptions extends CallOptions {
  /** `pending` if left out. */
  status?: ReviewStatus;
  /** 1 to 100; 20 if left out. */
  first?: number;
  /** The last update id of the page before. */
  after?: string;
}

/** `knowledge/review`, which Concord has beyond the specification: the proposals that a rule holds for a reviewer. */
export class Reviews {
  constructor(
    private readonly rpc: Rpc,
    private readonly check: () => void,
  ) {}

  /** Proposals, oldest first. */
  async list({ status, first, after, ...options }: ListOptions = {}): Promise<Proposal[]> {
    this.check();
    const params = { action: 'list', status, first, after };
    const { proposals } = await this.rpc.call<{ proposals: Proposal[] }>('knowledge/review', params, options);
    return proposals;
  }

  /**
   * Applies a pending proposal, if the other rules let it through on the graph as it is now. It is sent once: when the
   * connection is lost, `list` says what became of it.
   * @throws KnowledgeUpdateError `unknown-proposal`, `not-pending`
   */
  approve(updateId: string, options: CallOptions = {}): Promise<UpdateResult> {
    return this.decide({ action: 'approve', updateId }, options);
  }

  /** Rejects a pending proposal for good; otherwise as `approve`. */
  reject(updateId: string, { reason, ...options }: CallOptions & { reason?: string } = {}): Promise<UpdateResult> {
    return this.decide({ action: 'reject', updateId, reason }, options);
  }

  private async decide(decision: object, options: CallOptions): Promise<UpdateResult> {
    this.check();
    const params = { ...decision, reviewerId: this.rpc.agentId };
    return this.rpc.call<UpdateResult>('knowledge/review', params, options, false);
  }
}
