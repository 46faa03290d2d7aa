import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { utcMinuteText } from '../format/times';
import { DateField } from '../ui/date-field';
import { Form } from '../ui/form';
import { SelectField } from '../ui/select-field';
import { TextField } from '../ui/text-field';
import { useForm } from '../ui/use-form';
import { useKeyAccount } from './key-account';
import { type KeyValues, keyProblems, lifetimeMs, periodOptions, UNTIL_DATE } from './key-form';

interface KeyFieldsProps {
  initial: KeyValues;
  draft?: string;
  create: UseMutationResult<unknown, Error, KeyValues>;
  submitLabel: string;
  onCancel: () => void;
}

/** The form of a new key: what it is for, and until when it works. */
export function KeyFields({ initial, draft, create, submitLabel, onCancel }: KeyFieldsProps) {
  const [nowMs] = useState(Date.now);
  const { contractEndsAt } = useKeyAccount();
  const form = useForm({
    initial,
    problemsOf: (values: KeyValues) => keyProblems(values, { nowMs, contractEndsAt }),
    change: create,
    ...(draft === undefined ? {} : { draft }),
  });
  const { values, set, errors } = form;
  const isUntilDate = values.expires_in === UNTIL_DATE;
  const expiresAt = isUntilDate
    ? ''
    : new Date(nowMs + lifetimeMs(values.expires_in)).toISOString();
  return (
    <Form form={form} submitLabel={submitLabel} isBusy={create.isPending} onCancel={onCancel}>
      <TextField
        label="Name"
        name="name"
        description="What the key is for, such as the program or person that uses it."
        value={values.name}
        onValueChange={set('name')}
        error={errors.name}
      />
      <SelectField
        label="Expires after"
        name="expires_in"
        value={values.expires_in}
        options={periodOptions(initial.expires_in)}
        onValueChange={set('expires_in')}
        description={expiresAt && `On ${utcMinuteText(expiresAt)}.`}
        error={errors.expires_in}
      />
      {isUntilDate && (
        <DateField
          label="Expiration date"
          name="expires_at"
          description="The key stops working at 00:00 UTC on this day."
          value={values.expires_at}
          onValueChange={set('expires_at')}
          error={errors.expires_at}
        />
      )}
    </Form>
  );
}
