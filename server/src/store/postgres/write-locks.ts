/**
 * Write transactions. Whoever has a lock writes alone. Locks are advisory: a transaction holds its
 * own until its commit is visible to all, and loses it with its connection.
 */
import type pg from 'pg';

/** Keeps them apart from other programs' in the same database. */
const LOCK_SPACE = 0x71c41a4e;
const LOCKS = { schema: 1, control: 2, lake: 3 } as const;
export type WriteLock = keyof typeof LOCKS;

/** Locks that connections hold beyond transactions, as PostgreSQL's two numbers. */
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

/** As many later transactions do not matter to the answer. The table never has more rows. */
const SLOTS = 65_536;

/** A migration of each part of a store, whichever is made first. */
export const COMMIT_MARK_SCHEMA = `
  CREATE TABLE IF NOT EXISTS commit_mark (
    slot integer PRIMARY KEY,
    mark uuid NOT NULL
  ) WITH (fillfactor = 50);
`;

export interface CommitMark {
  readonly slot: number;
  readonly mark: string;
}

const LEAVE_MARK = `
  INSERT INTO commit_mark (slot, mark)
  VALUES ((pg_current_xact_id()::text::bigint % ${SLOTS})::integer, gen_random_uuid())
  ON CONFLICT (slot) DO UPDATE SET mark = excluded.mark
  RETURNING slot, mark::text AS mark`;

function begin(lock: WriteLock, lockTimeoutMs: number): string {
  return `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; SELECT ${lockCall(lock)}`;
}

/**
 * Begins a transaction that writes under a lock. Null: it makes the tables, and its commit has no
 * mark.
 */
export async function beginWriting(
  client: pg.ClientBase,
  lock: WriteLock,
  lockTimeoutMs: number,
): Promise<CommitMark | null> {
  const isMarking = lock !== 'schema';
  const text = `${begin(lock, lockTimeoutMs)}${isMarking ? `; ${LEAVE_MARK}` : ''}`;
  const results = (await client.query(text)) as unknown as pg.QueryResult[];
  return isMarking ? (results.at(-1)?.rows[0] as CommitMark) : null;
}

/**
 * True if the transaction that left a mark was committed. Waits for it to end: until then it has
 * the lock.
 */
export async function isMarked(
  client: pg.ClientBase,
  lock: WriteLock,
  { slot, mark }: CommitMark,
  lockTimeoutMs: number,
): Promise<boolean> {
  await client.query(begin(lock, lockTimeoutMs));
  try {
    const { rowCount } = await client.query(
      'SELECT FROM commit_mark WHERE slot = $1 AND mark = $2',
      [slot, mark],
    );
    return rowCount === 1;
  } finally {
    await client.query('ROLLBACK');
  }
}
