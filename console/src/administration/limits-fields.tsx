import { QUANTITIES, type Quantity } from '../format/texts';
import { CheckboxField } from '../ui/checkbox-field';
import { TextField } from '../ui/field';
import type { FormField } from '../ui/use-form';
import {
  LIMITS,
  type LimitName,
  type LimitSpan,
  type LimitTable,
  type LimitValue,
  limitOf,
} from './limit-fields';
import styles from './limits-fields.module.css';

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
        label={label}
        name={name}
        inputMode={isInBytes ? 'text' : 'numeric'}
        value={isUnlimited ? '' : value.text}
        disabled={isUnlimited}
        placeholder={isUnlimited ? held : undefined}
        onValueChange={(typed) => onValueChange({ ...value, text: typed })}
        error={error}
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
