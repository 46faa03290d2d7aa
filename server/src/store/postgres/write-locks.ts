/**
 * Whoever has a lock writes alone. Locks are advisory: a transaction holds its own until its commit is
 * visible to all, and loses it with its connection.
 */

/** Keeps them apart from other programs' in the same database. */
const LOCK_SPACE = 0x71c41a4e;
const LOCKS = { schema: 1, control: 2, lake: 3 } as const;
export type WriteLock = keyof typeof LOCKS;

/** Those that connections hold beyond transactions, as the two numbers that PostgreSQL knows them by. */
export const SESSION_LOCKS = {
  /** Publishers write parts and commit under it. */
  publishing: `${LOCK_SPACE}, 4`,
  /** Shared by those who copy parts. */
  parts: `${LOCK_SPACE}, 5`,
} as const;

/** The call that takes a lock for the rest of a transaction. */
export function lockCall(lock: WriteLock): string {
  return `pg_advisory_xact_lock(${LOCK_SPACE}, ${LOCKS[lock]})`;
}
