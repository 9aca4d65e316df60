import { type ATNConfigSet, DFA, type DFAState } from 'antlr4ng';

/**
 * The states in which the parser has been, by what they are. antlr4ng 3.0.16 knows them by a hash of 32 bits alone, so
 * that two are now and then taken for one: from then on the process reads some texts wrongly
 * (https://github.com/mike-lischke/antlr4ng/pull/109).
 */
export class ExactDfa extends DFA {
  private readonly byHash = new Map<number, DFAState[]>();
  private count = 0;

  override getState(state: DFAState): DFAState | null {
    return this.getStateForConfigs(state.configs);
  }

  override getStateForConfigs(configs: ATNConfigSet): DFAState | null {
    const alike = this.byHash.get(configs.hashCode()) ?? [];
    return alike.find((each) => isSame(each.configs, configs)) ?? null;
  }

  override addState(state: DFAState): void {
    if (this.getState(state) !== null) return;
    const hash = state.configs.hashCode();
    this.byHash.set(hash, [...(this.byHash.get(hash) ?? []), state]);
    state.stateNumber = this.count++;
  }
}

/** All else that a set says follows from its elements. */
function isSame(one: ATNConfigSet, other: ATNConfigSet): boolean {
  if (one === other) return true;
  if (one.fullCtx !== other.fullCtx || one.length !== other.length) return false;
  return one.elements.every((config, index) => {
    const match = other.elements[index];
    return match !== undefined && config.equals(match);
  });
}
