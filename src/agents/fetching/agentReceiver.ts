import { refuse } from '../../base/reasons.ts';
import type { AllowedReceivers } from '../../config/allowedReceivers.ts';
import { type Receiver, ReceiverRefused, type Resolve, receiverAt } from '../../push/receiverAddress.ts';

/** What calling the address of an agent needs of the service. */
export interface AgentReceiverParts {
  allowed: AllowedReceivers;
  resolve?: Resolve;
  /** Told of what callers are not: why an address cannot be called, by its reason or the code of the error. */
  onFault?(host: string, fault: string): void;
}

const setting = 'AGENT_ALLOW';

/**
 * Finds the addresses of an agent's host, and checks them.
 * @throws ConcordError with the reason; one for a name that is not found and for one that is private
 */
export async function agentReceiver({ allowed, resolve, onFault }: AgentReceiverParts, url: string): Promise<Receiver> {
  try {
    return await receiverAt(url, allowed, resolve, setting);
  } catch (error) {
    if (!(error instanceof ReceiverRefused)) throw error;
    const { reason } = error;
    if (reason !== 'unknown-host' && reason !== 'refused-address') {
      throw refuse(reason, `The address is refused: ${error.message}`);
    }
    // Who is told whether a private name is found knows which there are.
    const { hostname } = new URL(url);
    onFault?.(hostname, reason);
    const why = `is not found, or has an address that is not public and that ${setting} does not let in`;
    throw refuse('refused-address', `The address is refused: ${hostname} ${why}`);
  }
}
