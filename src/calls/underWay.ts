import type { Principal } from '../security/principal.ts';

/** Counts what agents have under way at the same time, in this process. */
export class UnderWay {
  private readonly byAgent = new Map<string, number>();
  private total = 0;

  /** Of all agents. */
  get all(): number {
    return this.total;
  }

  /** Of one agent of a tenant. */
  of(principal: Principal): number {
    return this.byAgent.get(keyOf(principal)) ?? 0;
  }

  /** Counts one more. @returns what tells that it has ended; calling it again does nothing */
  enter(principal: Principal): () => void {
    const key = keyOf(principal);
    this.byAgent.set(key, this.of(principal) + 1);
    this.total += 1;
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.total -= 1;
      const left = (this.byAgent.get(key) ?? 1) - 1;
      if (left > 0) this.byAgent.set(key, left);
      else this.byAgent.delete(key);
    };
  }
}

const keyOf = ({ tenant, agentId }: Principal) => JSON.stringify([tenant, agentId ?? null]);
