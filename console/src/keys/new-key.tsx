import type { NewApiKey } from '@ticklake/client';
import { useEffect, useEffectEvent, useState } from 'react';
import { postJson } from '../api/client';
import { utcMinuteText } from '../format/texts';
import { readKeysSearch, useKnownSearch } from '../layout/known-search';
import { AddButton } from '../ui/button';
import { DateField } from '../ui/date-field';
import { Dialog, SecretDialog } from '../ui/dialog';
import { hasDraft } from '../ui/drafts';
import { TextField } from '../ui/field';
import { Form } from '../ui/form';
import { SelectField } from '../ui/select-field';
import { useChangeForm } from '../ui/use-form';
import { useKeyAccount } from './key-account';
import {
  type KeyValues,
  keyBody,
  keyProblems,
  lifetimeMs,
  newKeyValues,
  periodOptions,
  UNTIL_DATE,
} from './key-form';

interface KeyFormProps {
  initial: KeyValues;
  draft?: string;
  submitLabel: string;
  onCreated: (key: NewApiKey) => void;
  onCancel: () => void;
}

export function KeyForm({ initial, draft, submitLabel, onCreated, onCancel }: KeyFormProps) {
  const [nowMs] = useState(Date.now);
  const { contractEndsAt, keysPath, touches } = useKeyAccount();
  const form = useChangeForm({
    initial,
    problemsOf: (values: KeyValues) => keyProblems(values, { nowMs, contractEndsAt }),
    send: (values) => postJson<NewApiKey>(keysPath, keyBody(values)),
    touches,
    onDone: onCreated,
    ...(draft === undefined ? {} : { draft }),
  });
  const { values, field } = form;
  const isUntilDate = values.expires_in === UNTIL_DATE;
  const expiresAt = isUntilDate
    ? ''
    : new Date(nowMs + lifetimeMs(values.expires_in)).toISOString();
  return (
    <Form form={form} submitLabel={submitLabel} onCancel={onCancel}>
      <TextField
        label="Name"
        description="What the key is for, such as the program or person that uses it."
        {...field('name')}
      />
      <SelectField
        label="Expires after"
        options={periodOptions(initial.expires_in)}
        description={expiresAt && `On ${utcMinuteText(expiresAt)}.`}
        {...field('expires_in')}
      />
      {isUntilDate && (
        <DateField
          label="Expiration date"
          description="The key stops working at 00:00 UTC on this day."
          {...field('expires_at')}
        />
      )}
    </Form>
  );
}

/** The only place that a key is ever shown. */
export function NewKeyDialog({ created, onClose }: { created: NewApiKey; onClose: () => void }) {
  return (
    <SecretDialog
      secret={created.api_key}
      title={`Store the key “${created.name}” now`}
      label="API key"
      warning="This is the only time the key is shown. If you lose it, create a new key."
      onClose={onClose}
    >
      <p>
        Programs send it in the header <code>X-API-KEY</code>.
      </p>
    </SecretDialog>
  );
}

const DRAFT = 'new-key';

function GenerateForm(props: Pick<KeyFormProps, 'onCreated' | 'onCancel'>) {
  const { contractEndsAt } = useKeyAccount();
  const [initial] = useState(() => newKeyValues({ nowMs: Date.now(), contractEndsAt }));
  return <KeyForm initial={initial} draft={DRAFT} submitLabel="Generate" {...props} />;
}

export function GenerateKey({ isFull }: { isFull: boolean }) {
  const [{ new: isWanted = false, ...others }, change] = useKnownSearch(readKeysSearch);
  const [isOpen, setIsOpen] = useState(() => hasDraft(DRAFT));
  const [created, setCreated] = useState<NewApiKey | null>(null);
  const show = (key: NewApiKey) => {
    setIsOpen(false);
    setCreated(key);
  };
  const close = () => setIsOpen(false);
  // Once: neither a reload nor going back asks again.
  const obey = useEffectEvent(() => {
    if (!isWanted) return;
    change(others);
    setIsOpen(!isFull);
  });
  useEffect(() => obey(), [isWanted]);
  return (
    <>
      <AddButton
        label="Generate key"
        disabled={isFull}
        aria-describedby="ceiling"
        onClick={() => setIsOpen(true)}
      />
      {isOpen && (
        <Dialog onClose={close} title="Generate an API key">
          <GenerateForm onCreated={show} onCancel={close} />
        </Dialog>
      )}
      {created && <NewKeyDialog created={created} onClose={() => setCreated(null)} />}
    </>
  );
}
