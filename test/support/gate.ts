/** Holds up whoever awaits `opened` until `open` is called. */
export interface Gate {
  open(): void;
  opened: Promise<void>;
}

export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
