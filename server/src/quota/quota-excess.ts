/** Limits that are used up, and the month that they count for. */
import type { QuotaLimits } from '../store/accounts.ts';
import {
  QUANTITIES,
  QUANTITY_NAMES,
  QUOTA_SPANS,
  type Quantity,
  type QuotaSpan,
  type QuotaUsage,
} from '../store/quantities.ts';
import { type DayRange, utcDay } from '../store/usage.ts';

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

/** The limits that are used up, the month's before the minute's, which some are exempt from. */
export function findExcesses(
  limits: QuotaLimits,
  usage: QuotaUsage,
  isMinuteExempt: boolean,
): QuotaExcess[] {
  const excesses: QuotaExcess[] = [];
  for (const span of QUOTA_SPANS) {
    if (span === 'minute' && isMinuteExempt) continue;
    for (const quantity of QUANTITY_NAMES) {
      const limit = limits[span][quantity];
      const used = usage[span][quantity];
      if (limit !== null && used >= limit) excesses.push({ span, quantity, used, limit });
    }
  }
  return excesses;
}

/** The text of a refusal. `slash` stands between what was used and the limit. */
export function excessText({ span, quantity, used, limit }: QuotaExcess, slash: string): string {
  const { name, unit } = QUANTITIES[quantity];
  return `${SPAN_WORDS[span]} ${name} limit exceeded: ${used}${slash}${limit} ${unit}.`;
}

const DAY_MS = 86_400_000;

export interface UtcMonth {
  readonly startMs: number;
  /** Start of the next month. */
  readonly endMs: number;
}

export function utcMonth(epochMs: number): UtcMonth {
  const date = new Date(epochMs);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) };
}

export function daysOf({ startMs, endMs }: UtcMonth): DayRange {
  return { firstDay: utcDay(startMs), lastDay: utcDay(endMs - DAY_MS) };
}
