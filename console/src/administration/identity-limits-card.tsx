import { useQuery } from '@tanstack/react-query';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { plural } from '../format/amounts';
import { CheckboxField } from '../ui/checkbox-field';
import { Form } from '../ui/form';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { TextField } from '../ui/text-field';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import styles from './identity-limits-card.module.css';
import {
  isInBytes,
  LIMITS,
  type LimitFields,
  type LimitPart,
  type LimitSpan,
  type LimitValue,
  limitFields,
  limitOf,
  limitProblems,
  limitsBody,
} from './limit-fields';
import { identityLimitsQuery, identityTouches } from './queries';
import type { IdentityLimits } from './records';

const SPAN_TITLES: Readonly<Record<LimitSpan, string>> = {
  month: 'Per month',
  minute: 'Per rolling 60 seconds',
};
const PART_LABELS: Readonly<Record<LimitPart, string>> = {
  requests: 'Requests',
  data_scanned: 'Data scanned',
  data_returned: 'Data returned',
};

interface LimitFieldProps {
  name: string;
  part: LimitPart;
  value: LimitValue;
  onValueChange: (value: LimitValue) => void;
  error: string | undefined;
}

function exactText(part: LimitPart, value: LimitValue): string {
  const limit = limitOf(part, value);
  if (limit === null || limit === undefined) return '';
  return isInBytes(part) ? plural(limit, 'byte') : plural(limit, 'request');
}

function LimitField({ name, part, value, onValueChange, error }: LimitFieldProps) {
  return (
    <div className={styles.limit}>
      <TextField
        label={PART_LABELS[part]}
        name={name}
        inputMode={isInBytes(part) ? 'text' : 'numeric'}
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
            Unlimited <span className="visually-hidden">{PART_LABELS[part].toLowerCase()}</span>
          </>
        }
        name={`${name}.unlimited`}
        isChecked={value.isUnlimited}
        onCheckedChange={(isUnlimited) => onValueChange({ ...value, isUnlimited })}
      />
    </div>
  );
}

function LimitsForm({ limits }: { limits: IdentityLimits }) {
  const { identity_id: id, quotas_limit: kept } = limits;
  const toasts = useToasts();
  const change = useChange({
    send: (fields: LimitFields) =>
      postJson<IdentityLimits>(`/identities/${id}/quotas`, limitsBody(fields, kept)),
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
