/** The limits of an identity, as they are typed and as they are sent. */
import type { BodyOf, LimitAmounts, QuotaLimits } from '@ticklake/client';
import { QUANTITIES, QUANTITY_NAMES, type Quantity } from '../format/quantities';
import { bytesInputText, parseBytes, parseCount } from './limit-text';

export type LimitTable = QuotaLimits['quotas_limit'];

const SPANS = ['month', 'minute'] as const;
export type LimitSpan = (typeof SPANS)[number];
export type LimitName = `${LimitSpan}.${Quantity}`;

export interface LimitValue {
  readonly isUnlimited: boolean;
  /** The typed text; kept while the limit is off. */
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
