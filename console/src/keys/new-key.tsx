import type { NewApiKey } from '@ticklake/client';
import { useEffect, useEffectEvent, useState } from 'react';
import { postJson } from '../api/client';
import { utcMinuteText } from '../format/texts';
import { readKeysSearch, useKnownSearch } from '../layout/known-search';
import { AddButton } from '../ui/button';
import { DateField } from '../ui/date-field';
import { Dialog, SecretDialog } from '../ui/dialog';
import { useReopened } from '../ui/drafts';
import { TextField } from '../ui/field';
import { Form } from '../ui/form';
import { closeDialog, showDialog } from '../ui/open-dialog';
import { SelectField } from '../ui/select-field';
import { useChangeForm } from '../ui/use-form';
import type { KeyAccount } from './key-account';
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
  account: KeyAccount;
  initial: KeyValues;
  draft?: string;
  submitLabel: string;
  onCreated: (key: NewApiKey) => void;
}

export function KeyForm({ account, initial, draft, submitLabel, onCreated }: KeyFormProps) {
  const [nowMs] = useState(Date.now);
  const { contractEndsAt, keysPath, touches } = account;
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
    <Form form={form} submitLabel={submitLabel} onCancel={closeDialog}>
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
export function NewKeyDialog(props: { created: NewApiKey; onClose?: () => void }) {
  const { created, onClose = closeDialog } = props;
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

function GenerateDialog({ account }: { account: KeyAccount }) {
  const { contractEndsAt } = account;
  const [initial] = useState(() => newKeyValues({ nowMs: Date.now(), contractEndsAt }));
  return (
    <Dialog title="Generate an API key">
      <KeyForm
        {...{ account, initial, draft: DRAFT, submitLabel: 'Generate' }}
        onCreated={(created) => showDialog(<NewKeyDialog created={created} />)}
      />
    </Dialog>
  );
}

export function GenerateKey({ account, isFull }: { account: KeyAccount; isFull: boolean }) {
  const [{ new: isWanted = false, ...others }, change] = useKnownSearch(readKeysSearch);
  const generate = () => showDialog(<GenerateDialog account={account} />);
  useReopened(DRAFT, generate);
  // Once: neither a reload nor going back asks again.
  const obey = useEffectEvent(() => {
    if (!isWanted) return;
    change(others);
    if (!isFull) generate();
  });
  useEffect(() => obey(), [isWanted]);
  return (
    <AddButton
      label="Generate key"
      disabled={isFull}
      aria-describedby="ceiling"
      onClick={generate}
    />
  );
}
