import type { BodyOf, LimitAmounts, QuotaLimits } from '@ticklake/client';
import { QUANTITIES, QUANTITY_NAMES, type Quantity } from '../format/texts';
import { CheckboxField } from '../ui/checkbox-field';
import { TextField } from '../ui/field';
import type { FormField } from '../ui/use-form';
import styles from './limits-fields.module.css';

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
type LimitSpan = (typeof SPANS)[number];
type LimitName = (typeof LIMITS)[number]['name'];

interface LimitValue {
  readonly isUnlimited: boolean;
  /** Kept while the limit is off. */
  readonly text: string;
}

export type LimitFields = Readonly<Record<LimitName, LimitValue>>;

const LIMITS = SPANS.flatMap((span) =>
  QUANTITY_NAMES.map((part) => ({ name: `${span}.${part}` as const, span, part })),
);

function limitValue(part: Quantity, limit: number | null): LimitValue {
  if (limit === null) return { isUnlimited: true, text: '' };
  return {
    isUnlimited: false,
    text: QUANTITIES[part].isInBytes ? bytesInputText(limit) : String(limit),
  };
}

/** The limit that was typed: null for none, undefined for what is no limit. */
function limitOf(part: Quantity, { isUnlimited, text }: LimitValue) {
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

const SPAN_TITLES: Readonly<Record<LimitSpan, string>> = {
  month: 'Per month',
  minute: 'Per rolling 60 seconds',
};

function exactText(part: Quantity, value: LimitValue): string {
  const limit = limitOf(part, value);
  return typeof limit === 'number' ? QUANTITIES[part].exactText(limit) : '';
}

interface LimitFieldProps extends FormField<LimitValue> {
  part: Quantity;
  /** Holds where an account has no limit of its own. */
  fallback: { readonly label: string; readonly limit: number | null };
}

function LimitField({ name, part, value, onValueChange, error, fallback }: LimitFieldProps) {
  const { isUnlimited } = value;
  const { label, isInBytes, text } = QUANTITIES[part];
  const held = fallback.limit === null ? 'Unlimited' : text(fallback.limit);
  return (
    <div className={styles.limit}>
      <TextField
        {...{ label, name, error }}
        inputMode={isInBytes ? 'text' : 'numeric'}
        value={isUnlimited ? '' : value.text}
        disabled={isUnlimited}
        placeholder={isUnlimited ? held : undefined}
        onValueChange={(typed) => onValueChange({ ...value, text: typed })}
        description={exactText(part, value)}
      />
      <CheckboxField
        label={
          <>
            {fallback.label} <span className="visually-hidden">{label.toLowerCase()}</span>
          </>
        }
        name={`${name}.unlimited`}
        value={isUnlimited}
        onValueChange={(isOff) => onValueChange({ ...value, isUnlimited: isOff })}
      />
    </div>
  );
}

export type FieldOfLimit = (name: LimitName) => FormField<LimitValue>;

interface LimitsFieldsProps {
  field: FieldOfLimit;
  /** Limits of the account's plan, which hold where it has none of its own; null without a plan. */
  plan: LimitTable | null;
}

export function LimitsFields({ field, plan }: LimitsFieldsProps) {
  const label = plan === null ? 'Unlimited' : 'As in the plan';
  return (
    <>
      <p>Enter bytes with a unit: bytes, kB, MB, GB, TB or PB (1 kB = 1,000 bytes).</p>
      {plan && <p>A limit set here overrides the plan's.</p>}
      <div className={styles.spans}>
        {(['month', 'minute'] as const).map((span) => (
          <fieldset key={span} className={styles.span}>
            <legend className={styles.title}>{SPAN_TITLES[span]}</legend>
            {LIMITS.filter((limit) => limit.span === span).map(({ name, part }) => (
              <LimitField
                key={name}
                part={part}
                fallback={{ label, limit: plan?.[span][part] ?? null }}
                {...field(name)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </>
  );
}
