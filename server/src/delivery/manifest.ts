/** Manifests: the files that a request for all of its rows comes to, and whether the account may fetch them. */

import { fingerprintOf, walkFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { rowsWords } from '../response/page.ts';
import type { QuotaLimits } from '../store/identities.ts';
import type { QuotaUsage } from '../store/quantities.ts';
import type { DeliveredFile } from './delivered-files.ts';
import type { FileFormat } from './file-formats.ts';

/** The same for plans whose file has the same bytes. */
export function fileFingerprint(plan: QueryPlan, { name }: FileFormat): string {
  return fingerprintOf([walkFingerprint(plan), name]);
}

/** Characters that no system minds in the name of a file. */
function plain(word: string): string {
  return word.replaceAll(/[^A-Za-z0-9.-]/g, '_');
}

/** First and last partition of a file; a partition is named by its key. */
export function partitionsOf({ parts }: QueryPlan): {
  readonly first: string;
  readonly last: string;
} {
  return { first: parts[0]?.key ?? '', last: parts.at(-1)?.key ?? '' };
}

/** Says which rows, of which versions and partitions, so that files of two versions may lie side by side. */
export function fileName(plan: QueryPlan, { suffix }: FileFormat): string {
  const { first, last } = partitionsOf(plan);
  const keys = first === last ? [first] : [first, last];
  const factors = plan.restatement ? [`f${plan.restatement.factors.version}`] : [];
  const words = [...rowsWords(plan), `v${plan.version}`, ...factors, ...keys];
  return `${words.map(plain).join('_')}${suffix}`;
}

export interface Allowance {
  readonly fits: boolean;
  readonly requests_left: number | null;
  readonly data_returned_left: number | null;
  readonly data_scanned_left: number | null;
}

/** What fetching something takes from the month's quotas. */
export interface Claim {
  readonly requestCount: number;
  readonly returnedBytes: number;
  readonly scannedBytes: number;
}

/** What is left of the month's quotas, null where there is no limit, and whether the claim fits. */
export function allowanceFor(claim: Claim, limits: QuotaLimits, used: QuotaUsage): Allowance {
  const left = (quantity: keyof typeof used.month) => {
    const limit = limits.month[quantity];
    return limit === null ? null : Math.max(0, limit - used.month[quantity]);
  };
  const [requests, returned, scanned] = [
    left('requests'),
    left('returnedBytes'),
    left('scannedBytes'),
  ];
  const isWithin = (amount: number, room: number | null) => room === null || amount <= room;
  return {
    fits:
      isWithin(claim.requestCount, requests) &&
      isWithin(claim.returnedBytes, returned) &&
      isWithin(claim.scannedBytes, scanned),
    requests_left: requests,
    data_returned_left: returned,
    data_scanned_left: scanned,
  };
}

/** Sums of all files. */
export function totalsOf(files: readonly DeliveredFile[]) {
  return {
    row_count: files.reduce((sum, { rowCount }) => sum + rowCount, 0),
    byte_count: files.reduce((sum, { bytes }) => sum + bytes.byteCount, 0),
  };
}
