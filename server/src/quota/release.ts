/** Ends a reservation; a second call does nothing. */
export type Release = () => void;

/** Runs `end` when it is first called. */
export function releaseOnce(end: () => void): Release {
  let hasEnded = false;
  return () => {
    if (!hasEnded) end();
    hasEnded = true;
  };
}
