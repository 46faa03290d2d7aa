/** Which limits have been reached, and how that is said. */
import { QUOTA_SPANS, type QuotaLimits, type QuotaSpan } from '../store/identities.ts';
import type { UsageAmounts } from '../store/usage.ts';
import type { QuotaUsage } from './usage-counters.ts';

type Quantity = keyof UsageAmounts;

export interface QuotaExcess {
  readonly span: QuotaSpan;
  readonly quantity: Quantity;
  readonly used: number;
  readonly limit: number;
}

const SPAN_WORDS: Readonly<Record<QuotaSpan, string>> = {
  month: 'Monthly',
  minute: 'Per-minute',
};

const QUANTITY_WORDS: Readonly<Record<Quantity, readonly [name: string, unit: string]>> = {
  requests: ['request', 'requests'],
  scannedBytes: ['data scanned', 'bytes'],
  returnedBytes: ['data returned', 'bytes'],
};
const QUANTITIES = Object.keys(QUANTITY_WORDS) as Quantity[];

/** The limits that are used up, the month's before the minute's, which some are exempt from. */
export function findExcesses(
  limits: QuotaLimits,
  usage: QuotaUsage,
  isMinuteExempt: boolean,
): QuotaExcess[] {
  const excesses: QuotaExcess[] = [];
  for (const span of QUOTA_SPANS) {
    if (span === 'minute' && isMinuteExempt) continue;
    for (const quantity of QUANTITIES) {
      const limit = limits[span][quantity];
      const used = usage[span][quantity];
      if (limit !== null && used >= limit) excesses.push({ span, quantity, used, limit });
    }
  }
  return excesses;
}

/** The text of a refusal. `slash` stands between what was used and the limit. */
export function excessText({ span, quantity, used, limit }: QuotaExcess, slash: string): string {
  const [name, unit] = QUANTITY_WORDS[quantity];
  return `${SPAN_WORDS[span]} ${name} limit exceeded: ${used}${slash}${limit} ${unit}.`;
}
