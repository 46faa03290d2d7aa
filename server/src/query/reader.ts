/** A caller who reads data: judged again in its turn, and counted. Knows no HTTP. */
import { type Claim, callerOf, claimedNow, requireAllowed } from '../access/admission.ts';
import { type Caller, requireAccount } from '../access/authenticate.ts';
import type { FactorTables } from '../adjustments/factor-events.ts';
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { firstNames } from '../base/printable.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { QueryGate } from '../engine/query-gate.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { WalkPositions } from '../engine/walk-positions.ts';
import type { Lake } from '../lake/lake.ts';
import type { RequestMetrics } from '../operation/request-metrics.ts';
import { namedIdentifiers } from '../plan/identifiers.ts';
import type { DayCountCache } from '../response/day-count-cache.ts';
import type { Config } from '../settings/config.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { Account } from '../store/accounts.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { RollSchedules } from '../symbology/roll-schedule.ts';
import type { SymbolTables } from '../symbology/symbol-tables.ts';

/** Needed by every request. */
export interface CommonServices {
  /** The catalogue as it was when the request began. */
  readonly catalog: Catalog;
  readonly config: Config;
  readonly clock: Clock;
  readonly store: ControlStore;
}

/** Reads data, and remembers some of it. */
export interface DataServices extends CommonServices {
  readonly lake: Lake;
  readonly engine: EngineReader;
  readonly gate: QueryGate;
  readonly metrics: RequestMetrics;
  readonly dayCounts: DayCountCache;
  readonly symbolTables: SymbolTables;
  readonly rollSchedules: RollSchedules;
  readonly factorTables: FactorTables;
  readonly madeWalks: WalkPositions;
}

/** Counts of a request for the ledger; written while it reads. */
export interface ReadTally {
  /** True while the request waits for its turn. */
  isWaiting: boolean;
  datasetId: string;
  datasetVersion: number | null;
  /** The identifiers that it names. */
  symbols: readonly string[];
  rowCount: number;
  /** Bytes that the engine was given to read. */
  scannedBytes: number;
}

/** The connection to a client, which may go away. */
interface Client {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

export interface Reader {
  readonly services: DataServices;
  readonly caller: Caller;
  readonly claim: Claim;
  readonly tally: ReadTally;
  readonly client: Client;
  readonly log: { error(fields: object, message: string): void };
}

/** The caller, and what the caller is judged by. */
export type ReaderNow = Pick<Reader, 'services' | 'caller'>;

/** The account that a request is about, as it is now. Throws as `requireAccount` does. */
export function accountOf({
  services: { clock },
  caller,
}: {
  readonly services: Pick<CommonServices, 'clock'>;
  readonly caller: Caller;
}): Account {
  return requireAccount(caller, clock.now());
}

/** More datasets than these are counted in a hint. */
const DATASETS_HINTED_MAX = 10;

/** Names the datasets that an account may read by its rules. */
export function readableHint(rules: readonly AccessRule[]): string {
  const ids = [...new Set(rules.map(({ datasetId }) => datasetId))];
  const readable = ids.length > 0 ? firstNames(ids.sort(), DATASETS_HINTED_MAX) : 'no dataset';
  return `The account may read ${readable}; ask whoever gave you the key for others`;
}

/** An account's rules for a dataset, oldest window first; 'forbidden' without any. */
export function requireRules(
  { replica }: ControlStore,
  accountId: number,
  { datasetId, name }: Dataset,
): readonly AccessRule[] {
  const rules = replica.rulesOfDataset(accountId, datasetId);
  if (rules.length > 0) return rules;
  const detail = `The account is not authorized to access the dataset ${name}`;
  throw new ApiError('forbidden', detail, readableHint(replica.rulesOf(accountId)));
}

/** A request that can be judged again. */
type Judged = Pick<Reader, 'caller' | 'claim'> & { readonly services: CommonServices };

/** Judges the caller again; an ApiError unless the caller is still admitted. */
export function admittedAgain<R extends Judged>(reader: R): R {
  const { claim, services } = reader;
  const { store, clock, config } = services;
  const nowMs = clock.now();
  const caller = callerOf(claim, claimedNow(store, claim), nowMs, config);
  requireAllowed(caller, claim, nowMs);
  // A person may belong to another account by now.
  return { ...reader, caller };
}

/** Catches up with changes by any process, then judges the caller again. */
export async function asOfNow<R extends Judged>(reader: R): Promise<R> {
  await reader.services.store.catchUp();
  return admittedAgain(reader);
}

/** Says for the ledger what the request is about, also where it is then refused. */
export function nameSubject(tally: ReadTally, plan: QueryPlan): void {
  tally.datasetId = plan.dataset.datasetId;
  tally.datasetVersion = plan.version;
  tally.symbols = namedIdentifiers(plan);
}

/** A plan counts as much whether its rows are read for it, or were for an earlier one. */
export function countScan(
  { services, tally }: Pick<Reader, 'services' | 'tally'>,
  { scannedBytes }: Pick<QueryPlan, 'scannedBytes'>,
): void {
  tally.scannedBytes += scannedBytes;
  services.metrics.scannedBytes.inc(scannedBytes);
}

/**
 * Runs the work when the account's turn comes. Rejects with an ApiError where too many wait, past
 * the time limit and when the client goes away, which stop the work.
 */
export async function inTurn<T>(
  { services, client, tally }: Pick<Reader, 'services' | 'client' | 'tally'>,
  accountId: number,
  work: (signal: AbortSignal) => Promise<T>,
  isLarge = false,
): Promise<T> {
  const timeout = AbortSignal.timeout(services.config.queryTimeoutMs);
  const gone = new AbortController();
  const onClose = () => gone.abort(new ApiError('client gone', 'The client went away'));
  client.once('close', onClose);
  // The client may have gone while the request was planned.
  if (client.destroyed) onClose();
  const signal = AbortSignal.any([timeout, gone.signal]);
  tally.isWaiting = true;
  try {
    const begin = () => {
      tally.isWaiting = false;
      return work(signal);
    };
    return await services.gate.run(accountId, signal, begin, isLarge);
  } catch (error) {
    if (timeout.aborted && !gone.signal.aborted) throw new ApiError('timed out', 'Gateway timeout');
    throw error;
  } finally {
    client.off('close', onClose);
  }
}

/** Resolves when the work hands over its result, though the work goes on. */
export function handedOver<T>(work: (hand: (result: T) => void) => Promise<void>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  work(resolve).catch(reject);
  return promise;
}
