/** Failures of PostgreSQL as the store's own. */
import pg from 'pg';
import { UsageError } from '../../base/errors.ts';
import { StoreBusyError, StoreFullError, StoreUnavailableError } from '../store-errors.ts';
import { addressText, type PostgresAddress } from './address.ts';

type Failure = readonly [kind: typeof StoreUnavailableError, reason: string];

/** A standby knows no more than was sent to it, and takes no changes. */
export class StandbyError extends Error {}

const STANDBY: Failure = [StoreUnavailableError, 'the database server is a standby'];
const AWAY = 'the database server is away';

/**
 * By a code of PostgreSQL, or by its class, its first two characters. The statement may pass later.
 */
const STORAGE_FAILURES: Readonly<Record<string, Failure>> = {
  '08': [StoreUnavailableError, AWAY],
  '53': [StoreUnavailableError, 'the database server has no more resources'],
  '53100': [StoreFullError, "the database server's disk is full"],
  '53300': [StoreUnavailableError, 'the database server takes no more connections'],
  '57P': [StoreUnavailableError, AWAY],
  '58': [StoreUnavailableError, "the database server's disk failed"],
  '25006': STANDBY,
  '25P03': [StoreUnavailableError, 'the transaction stood still for too long'],
  '40001': [StoreBusyError, 'another process is writing to the store'],
  '40P01': [StoreBusyError, 'another process is writing to the store'],
  '55P03': [StoreBusyError, 'another process is writing to the store'],
};

/** Errors that somebody must fix before the store can be used. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28': 'it refuses the user or the password; check TICKLAKE_STORE and PGPASSWORD or PGPASSFILE',
  '3D000': 'it is not there; create it, or check TICKLAKE_STORE',
  '42501': 'the user may not do this; grant what docs/postgresql.md lists',
};

/** TLS errors: certificates that are not trusted, and servers that have none. */
const TLS_CODE = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|ERR_OSSL/;
const TLS_TEXT = /does not support SSL|SSL connection/;
/** The library's texts for connections that ended or never began. */
const CONNECTION_TEXT =
  /^Connection terminated|^timeout e|^Query read timeout|not queryable|connection error|was closed/i;
const SYSTEM_CODE = /^E[A-Z\d_]+$/;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function byCode<T>(table: Readonly<Record<string, T>>, code: string): T | undefined {
  return table[code] ?? table[code.slice(0, 3)] ?? table[code.slice(0, 2)];
}

function isOfTls(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) return false;
  return TLS_CODE.test(codeOf(error)) || TLS_TEXT.test(error.message);
}

/**
 * Why the store cannot be used until something is changed, as a clause; null: it may come by
 * itself.
 */
function refusalReason(error: unknown): string | null {
  if (isOfTls(error)) return `TLS failed (${error.message}); check sslmode and sslrootcert`;
  if (!(error instanceof pg.DatabaseError)) return null;
  return byCode(REFUSALS, codeOf(error)) ?? null;
}

function isOfConnection(error: Error): boolean {
  return SYSTEM_CODE.test(codeOf(error)) || CONNECTION_TEXT.test(error.message);
}

function storageFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const refusal = refusalReason(error);
  if (refusal !== null) return [StoreUnavailableError, refusal];
  if (error instanceof pg.DatabaseError) return byCode(STORAGE_FAILURES, codeOf(error));
  if (error instanceof StandbyError) return STANDBY;
  return isOfConnection(error) ? [StoreUnavailableError, AWAY] : undefined;
}

/** The error to throw for a failure of a statement or a connection. */
export function storeError(address: PostgresAddress, error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
  const failure = storageFailure(error);
  if (!failure) return error;
  const [Kind, reason] = failure;
  return new Kind(`${addressText(address)} cannot be used: ${reason}`, reason, error);
}

/**
 * The error to throw if a store cannot be opened: one line of what to change, or that it is away.
 */
export function openingError(error: unknown): unknown {
  const isRefused = error instanceof StoreUnavailableError && refusalReason(error.cause) !== null;
  return isRefused ? new UsageError(error.message) : error;
}

/**
 * True if a connection is of no more use after an error; what it was asked last may have been done.
 */
export function endsConnection(error: unknown): boolean {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  if (cause instanceof StandbyError) return true;
  if (!(cause instanceof pg.DatabaseError)) return isOfConnection(cause);
  return /^(08|57P|25P03)/.test(codeOf(cause));
}

/** True if the user's role lacks a right. */
export function isForbidden(error: unknown): boolean {
  return codeOf(error instanceof StoreUnavailableError ? error.cause : error) === '42501';
}

/**
 * True if a function is not there for the user: forbidden, unknown, or not offered, as by databases
 * of cloud providers.
 */
export function isMissingFunction(error: unknown): boolean {
  const code = codeOf(error instanceof StoreUnavailableError ? error.cause : error);
  return isForbidden(error) || ['0A000', '42883'].includes(code);
}
