/** Usage of one request, from when its caller is known until it is answered or abandoned. */
import type { Caller } from '../access/authenticate.ts';
import type { QuotaUsage, Release } from '../quota/usage-counters.ts';
import type { Identity } from '../store/identities.ts';

/** Written by the endpoint while it works. */
export interface RequestTally {
  readonly caller: Caller;
  /** The account that it counts for; null: for none. */
  readonly account: Identity | null;
  readonly countsInMinute: boolean;
  readonly startedAtMs: number;
  /** Usage of its account before it; null if it belongs to no account. */
  readonly usedBefore: QuotaUsage | null;
  /** Null when it is counted. */
  reservation: Release | null;
  /** Whether it waits for its turn to read. */
  isWaiting: boolean;
  datasetId: string;
  datasetVersion: number | null;
  rowCount: number;
  /** Bytes that the engine was given to read. */
  scannedBytes: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of its caller, who may still be refused; null where none is known. */
    account: Identity | null;
    /** Null until its caller is let in. */
    tally: RequestTally | null;
  }
}
