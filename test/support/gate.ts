import { deferred } from '../../src/base/deferred.ts';

/** Holds up whoever awaits `opened` until `open` is called. */
export interface Gate {
  open(): void;
  opened: Promise<void>;
}

export function gate(): Gate {
  const { promise: opened, resolve: open } = deferred();
  return { opened, open };
}
