/** How connections to PostgreSQL are made: TLS, passwords, types of values, time limits. */
/// <reference path="./pgpass.d.ts" />
import { readFileSync } from 'node:fs';
import pg from 'pg';
import pgPass from 'pgpass';
import { UsageError } from '../../base/errors.ts';
import { failureText } from '../../base/failure-text.ts';
import type { PostgresAddress } from './address.ts';
import { StandbyError } from './postgres-errors.ts';

/** When a server is given up that is not there, or does not answer. */
export interface TimeLimits {
  readonly connectMs: number;
  readonly answerMs: number;
}

/** Later than this no answer comes: the network is broken. Longer than any wait for a lock. */
const LIMITS: TimeLimits = { connectMs: 5000, answerMs: 30_000 };
/** Another node that stands still in a transaction holds up everybody else no longer. */
const IDLE_IN_TRANSACTION_MS = 60_000;
const KEEP_ALIVE_MS = 10_000;

const { INT8, NUMERIC } = pg.types.builtins;

/** Counts and sums are exact as numbers, or refused. */
function integerOf(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`the store holds a number that is too great: ${text}`);
}

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === INT8 || type === NUMERIC ? integerOf : pg.types.getTypeParser(type, format as 'text'),
};

function pemOf(path: string | null): string | undefined {
  if (path === null) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`the store's TLS file cannot be read: ${failureText(error)}`);
  }
}

/** As `sslmode` says: the host's name counts in the last mode alone. */
function tlsOf(address: PostgresAddress): pg.ClientConfig['ssl'] {
  const { tlsMode, authorityFile, certificateFile, keyFile } = address;
  if (tlsMode === 'disable') return false;
  const ca = pemOf(authorityFile);
  const cert = pemOf(certificateFile);
  const key = pemOf(keyFile);
  return {
    rejectUnauthorized: tlsMode !== 'require',
    ...(tlsMode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

/** For what requests wait for. */
export const LOOK_LIMITS: TimeLimits = { connectMs: 2000, answerMs: 2000 };

/** Throws a `UsageError` where a file of the address cannot be read. */
export function connectionConfig(
  address: PostgresAddress,
  { connectMs, answerMs }: TimeLimits = LIMITS,
): pg.ClientConfig {
  const { host, port, database, user } = address;
  return {
    ...{ host, port, database, user },
    // For each connection anew.
    password: async () =>
      process.env.PGPASSWORD ??
      (await new Promise<string>((resolve) => pgPass(address, (found) => resolve(found ?? '')))),
    ssl: tlsOf(address),
    application_name: 'ticklake',
    types: TYPES,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/**
 * Has a new connection find our tables by their names. Rejects with a `StandbyError` on one to a
 * standby.
 */
export async function beginConnection(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    `SELECT pg_is_in_recovery() AS "isStandby", set_config('search_path', 'ticklake', false)`,
  );
  if (rows[0].isStandby) throw new StandbyError();
}
