import { useQuery } from '@tanstack/react-query';
import type { QuotaLimits } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { QUANTITIES, type Quantity } from '../format/quantities';
import { CheckboxField } from '../ui/checkbox-field';
import { Form } from '../ui/form';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { TextField } from '../ui/text-field';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import styles from './identity-limits-card.module.css';
import {
  LIMITS,
  type LimitFields,
  type LimitSpan,
  type LimitValue,
  limitFields,
  limitOf,
  limitProblems,
  limitsBody,
} from './limit-fields';
import { identityLimitsQuery, identityTouches } from './queries';

const SPAN_TITLES: Readonly<Record<LimitSpan, string>> = {
  month: 'Per month',
  minute: 'Per rolling 60 seconds',
};
interface LimitFieldProps {
  name: string;
  part: Quantity;
  value: LimitValue;
  onValueChange: (value: LimitValue) => void;
  error: string | undefined;
}

function exactText(part: Quantity, value: LimitValue): string {
  const limit = limitOf(part, value);
  if (limit === null || limit === undefined) return '';
  return QUANTITIES[part].exactText(limit);
}

function LimitField({ name, part, value, onValueChange, error }: LimitFieldProps) {
  return (
    <div className={styles.limit}>
      <TextField
        label={QUANTITIES[part].label}
        name={name}
        inputMode={QUANTITIES[part].isInBytes ? 'text' : 'numeric'}
        value={value.isUnlimited ? '' : value.text}
        disabled={value.isUnlimited}
        placeholder={value.isUnlimited ? 'unlimited' : undefined}
        onValueChange={(text) => onValueChange({ ...value, text })}
        error={error}
        description={exactText(part, value)}
      />
      <CheckboxField
        label={
          <>
            Unlimited{' '}
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

function LimitsForm({ limits }: { limits: QuotaLimits }) {
  const { identity_id: id, quotas_limit: kept } = limits;
  const toasts = useToasts();
  const change = useChange({
    send: (fields: LimitFields) =>
      postJson<QuotaLimits>(`/identities/${id}/quotas`, limitsBody(fields, kept)),
    touches: identityTouches(id),
    onDone: (after) => {
      toasts.add({ title: 'The limits were saved' });
      form.reset(limitFields(after.quotas_limit));
    },
  });
  const form = useForm({ initial: limitFields(kept), problemsOf: limitProblems, change });
  const isUnchanged =
    Object.keys(limitsBody(form.values, kept)).length === 0 &&
    Object.values(limitProblems(form.values)).every((problem) => problem === '');
  return (
    <Form form={form} submitLabel="Save" isBusy={change.isPending} isUnchanged={isUnchanged}>
      <div className={styles.spans}>
        {(['month', 'minute'] as const).map((span) => (
          <fieldset key={span} className={styles.span}>
            <legend className={styles.title}>{SPAN_TITLES[span]}</legend>
            {LIMITS.filter((limit) => limit.span === span).map(({ name, part }) => (
              <LimitField
                key={name}
                name={name}
                part={part}
                value={form.values[name]}
                onValueChange={form.set(name)}
                error={form.errors[name]}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </Form>
  );
}

/** Changes the six limits of an identity. */
export function IdentityLimitsCard({ identityId }: { identityId: number }) {
  const limits = useQuery(identityLimitsQuery(identityId));
  return (
    <Card title="Limits">
      <p>
        Bytes are written with a unit: bytes, kB, MB, GB, TB or PB, each a thousand of the last.
      </p>
      <Loaded query={limits} what="limits">
        {(loaded) => <LimitsForm limits={loaded} />}
      </Loaded>
    </Card>
  );
}
