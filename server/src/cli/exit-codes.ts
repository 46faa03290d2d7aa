/** Exit codes of all commands, explained in `docs/command-line.md`. */
export const EXIT = {
  done: 0,
  /** Something other than the input is at fault. */
  failed: 1,
  /** The command line, a setting or the data has to change. */
  refused: 2,
  /** The files are well formed and hold no rows. */
  noRows: 3,
  interrupted: 130,
} as const;
