import { QUANTITIES, type Quantity } from '../format/quantities';
import { CheckboxField } from '../ui/checkbox-field';
import { TextField } from '../ui/text-field';
import type { Problems } from '../ui/use-form';
import styles from './identity-limits-card.module.css';
import {
  LIMITS,
  type LimitFields,
  type LimitName,
  type LimitSpan,
  type LimitTable,
  type LimitValue,
  limitOf,
} from './limit-fields';

const SPAN_TITLES: Readonly<Record<LimitSpan, string>> = {
  month: 'Per month',
  minute: 'Per rolling 60 seconds',
};
/** What holds where an account has no limit of its own. */
interface Fallback {
  readonly label: string;
  readonly limit: number | null;
}

interface LimitFieldProps {
  name: string;
  part: Quantity;
  value: LimitValue;
  onValueChange: (value: LimitValue) => void;
  error: string | undefined;
  fallback: Fallback;
}

function exactText(part: Quantity, value: LimitValue): string {
  const limit = limitOf(part, value);
  if (limit === null || limit === undefined) return '';
  return QUANTITIES[part].exactText(limit);
}

function limitText(part: Quantity, limit: number | null): string {
  return limit === null ? 'Unlimited' : QUANTITIES[part].text(limit);
}

function LimitField(props: LimitFieldProps) {
  const { name, part, value, onValueChange, error, fallback } = props;
  return (
    <div className={styles.limit}>
      <TextField
        label={QUANTITIES[part].label}
        name={name}
        inputMode={QUANTITIES[part].isInBytes ? 'text' : 'numeric'}
        value={value.isUnlimited ? '' : value.text}
        disabled={value.isUnlimited}
        placeholder={value.isUnlimited ? limitText(part, fallback.limit) : undefined}
        onValueChange={(text) => onValueChange({ ...value, text })}
        error={error}
        description={exactText(part, value)}
      />
      <CheckboxField
        label={
          <>
            {fallback.label}{' '}
            <span className="visually-hidden">{QUANTITIES[part].label.toLowerCase()}</span>
          </>
        }
        name={`${name}.unlimited`}
        isChecked={value.isUnlimited}
        onCheckedChange={(isUnlimited) => onValueChange({ ...value, isUnlimited })}
      />
    </div>
  );
}

interface LimitsFieldsProps {
  values: LimitFields;
  errors: Problems;
  set: (name: LimitName) => (value: LimitValue) => void;
  /** Limits of the account's plan, which hold where it has none of its own; null without a plan. */
  plan: LimitTable | null;
}

/** The six limits of an account or a plan. */
export function LimitsFields({ values, errors, set, plan }: LimitsFieldsProps) {
  const label = plan === null ? 'Unlimited' : 'As in the plan';
  return (
    <div className={styles.spans}>
      {(['month', 'minute'] as const).map((span) => (
        <fieldset key={span} className={styles.span}>
          <legend className={styles.title}>{SPAN_TITLES[span]}</legend>
          {LIMITS.filter((limit) => limit.span === span).map(({ name, part }) => (
            <LimitField
              key={name}
              name={name}
              part={part}
              value={values[name]}
              onValueChange={set(name)}
              error={errors[name]}
              fallback={{ label, limit: plan?.[span][part] ?? null }}
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
}
