import type { BodyOf, LimitAmounts, QuotaLimits } from '@ticklake/client';
import { QUANTITIES, QUANTITY_NAMES, type Quantity } from '../format/texts';

const BYTE_UNITS = [
  ['PB', 1e15],
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const;
const BYTES_FORM = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i;
const COUNT_FORM = /^\d+$/;
const SHOWN_DECIMALS = 3;
const SHOWN_MAX = 10_000;

/** Digits may be grouped by commas, underscores or spaces. */
function ungrouped(text: string): string {
  return text.trim().replaceAll(/(?<=\d)[,_ ](?=\d{3})/g, '');
}

function asLimit(value: number): number | null {
  return Number.isSafeInteger(value) ? value : null;
}

export function parseCount(text: string): number | null {
  const digits = ungrouped(text);
  return COUNT_FORM.test(digits) ? asLimit(Number(digits)) : null;
}

function unitBytes(unit: string): number | null {
  const name = unit.toLowerCase();
  if (['', 'b', 'byte', 'bytes'].includes(name)) return 1;
  return BYTE_UNITS.find(([known]) => known.toLowerCase() === name)?.[1] ?? null;
}

/** Bytes of `1.5 GB` or `1500000`; null for what is none, or no whole number of bytes. */
export function parseBytes(text: string): number | null {
  const [, digits = '', unit = ''] = BYTES_FORM.exec(ungrouped(text)) ?? [];
  const factor = unitBytes(unit);
  if (digits === '' || factor === null) return null;
  const bytes = Number(digits) * factor;
  // Decimals such as 1.1 are not exact in binary.
  const whole = Math.round(bytes);
  return Math.abs(bytes - whole) < 1e-3 ? asLimit(whole) : null;
}

/** The shortest text that `parseBytes` reads as exactly so many. */
export function bytesInputText(bytes: number): string {
  for (const [unit, factor] of BYTE_UNITS) {
    const value = bytes / factor;
    const text = `${Number(value.toFixed(SHOWN_DECIMALS))} ${unit}`;
    if (value >= 1 && value < SHOWN_MAX && parseBytes(text) === bytes) return text;
  }
  return String(bytes);
}

export type LimitTable = QuotaLimits['quotas_limit'];

const SPANS = ['month', 'minute'] as const;
export type LimitSpan = (typeof SPANS)[number];
export type LimitName = `${LimitSpan}.${Quantity}`;

export interface LimitValue {
  readonly isUnlimited: boolean;
  /** Kept while the limit is off. */
  readonly text: string;
}

export type LimitFields = Readonly<Record<LimitName, LimitValue>>;

interface LimitOf {
  readonly name: LimitName;
  readonly span: LimitSpan;
  readonly part: Quantity;
}

export const LIMITS: readonly LimitOf[] = SPANS.flatMap((span) =>
  QUANTITY_NAMES.map((part): LimitOf => ({ name: `${span}.${part}`, span, part })),
);

function limitValue(part: Quantity, limit: number | null): LimitValue {
  if (limit === null) return { isUnlimited: true, text: '' };
  return {
    isUnlimited: false,
    text: QUANTITIES[part].isInBytes ? bytesInputText(limit) : String(limit),
  };
}

/** The limit that was typed: null for none, undefined for what is no limit. */
export function limitOf(part: Quantity, { isUnlimited, text }: LimitValue) {
  if (isUnlimited) return null;
  return (QUANTITIES[part].isInBytes ? parseBytes(text) : parseCount(text)) ?? undefined;
}

export function limitFields(table: LimitTable): LimitFields {
  const entries = LIMITS.map(({ name, span, part }) => [name, limitValue(part, table[span][part])]);
  return Object.fromEntries(entries);
}

export function limitProblems(fields: LimitFields): Readonly<Record<string, string>> {
  const entries = LIMITS.map(({ name, part }) => {
    const isFine = limitOf(part, fields[name]) !== undefined;
    const legal = QUANTITIES[part].isInBytes ? 'an amount such as 500 MB' : 'a whole number';
    return [name, isFine ? '' : `Enter ${legal}, or choose unlimited`];
  });
  return Object.fromEntries(entries);
}

/** The limits that differ from those that are kept, by span; empty where none does. */
export function limitsBody(fields: LimitFields, kept: LimitTable): BodyOf<'setQuotaLimits'> {
  const body: Partial<Record<LimitSpan, Partial<LimitAmounts>>> = {};
  for (const { name, span, part } of LIMITS) {
    const limit = limitOf(part, fields[name]);
    if (limit !== undefined && limit !== kept[span][part]) {
      body[span] = { ...body[span], [part]: limit };
    }
  }
  return body;
}
