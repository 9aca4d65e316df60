import type { AllowedReceivers } from '../../config/allowedReceivers.ts';
import {
  type OnFault,
  type Receiver,
  ReceiverRefused,
  type Resolve,
  receiverAt,
  refusalOf,
} from '../../push/receiverAddress.ts';

/** What calling the address of an agent needs of the service. */
export interface AgentReceiverParts {
  allowed: AllowedReceivers;
  resolve?: Resolve;
  onFault?: OnFault;
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
    throw refusalOf(error, url, { what: 'address', setting, onFault });
  }
}
