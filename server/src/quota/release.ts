/** Ends a reservation; a second call does nothing. */
export type Release = () => void;

/** Bytes of an answer that are reserved while it is sent. */
export interface ReservedBytes {
  /** Gives back bytes that are counted from now on; never more than are left. */
  giveBack(byteCount: number): void;
  /** Gives back all that are left. */
  readonly release: Release;
}

/** For an answer that counts for nobody, or whose bytes are counted already. */
export const NONE_RESERVED: ReservedBytes = { giveBack: () => undefined, release: () => undefined };

/** Reserves bytes by `change`, which is told by how many the reserved ones grow or shrink. */
export function reservedBytes(byteCount: number, change: (by: number) => void): ReservedBytes {
  let left = byteCount;
  const giveBack = (asked: number) => {
    const given = Math.min(left, asked);
    left -= given;
    if (given > 0) change(-given);
  };
  change(byteCount);
  return { giveBack, release: () => giveBack(left) };
}

/** Runs `end` when it is first called. */
export function releaseOnce(end: () => void): Release {
  let hasEnded = false;
  return () => {
    if (!hasEnded) end();
    hasEnded = true;
  };
}
