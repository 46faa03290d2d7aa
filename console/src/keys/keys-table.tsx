import type { ApiKey } from '@ticklake/client';
import { type ReactNode, useState } from 'react';
import { postJson } from '../api/client';
import { holdsAll, sentenceCase, utcDateText } from '../format/texts';
import { type Action, ActionMenu } from '../ui/action-menu';
import { Button } from '../ui/button';
import { type Confirmation, confirmChange } from '../ui/dialog';
import { TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { nameProblem } from '../ui/input-problems';
import { showDialog } from '../ui/open-dialog';
import { Notice } from '../ui/page';
import { SearchedRows } from '../ui/searched-table';
import { momentColumn, type TableColumn } from '../ui/table';
import { Badge, type BadgeKind, MomentText } from '../ui/texts';
import { useChangeForm } from '../ui/use-form';
import type { KeyAccount } from './key-account';
import { type PendingRotation, pendingRotations, useRotations } from './key-rotations';
import { KeyEnd } from './key-texts';
import styles from './keys-table.module.css';
import { askToSwitch, RotateKey } from './rotate-key';

const STATUS_KINDS: Readonly<Record<ApiKey['status'], BadgeKind>> = {
  active: 'good',
  deactivated: 'quiet',
  expired: 'danger',
};

const SOON_MS = 14 * 86_400_000;

function Expiry({ apiKey, nowMs }: { apiKey: ApiKey; nowMs: number }) {
  const isSoon = apiKey.status === 'active' && Date.parse(apiKey.expires_at) - nowMs < SOON_MS;
  return (
    <div className={styles.expiry}>
      <MomentText time={apiKey.expires_at} isShort />
      {isSoon && <Badge kind="warning">expires soon</Badge>}
    </div>
  );
}

type ActionsOf = ((key: ApiKey) => readonly Action[]) | null;

function columnsOf(nowMs: number, actionsOf: ActionsOf): TableColumn<ApiKey>[] {
  const columns: TableColumn<ApiKey>[] = [
    {
      header: 'Name',
      by: 'name',
      cell: ({ name }) => <span className={styles.name}>{name}</span>,
      isRowHeader: true,
    },
    { header: 'Expires', by: 'expires_at', cell: (key) => <Expiry apiKey={key} nowMs={nowMs} /> },
    { header: 'Ends in', by: 'reference', cell: (key) => <KeyEnd apiKey={key} /> },
    {
      header: 'Status',
      by: 'status',
      cell: ({ status }) => <Badge kind={STATUS_KINDS[status]}>{status}</Badge>,
    },
    momentColumn('Last used', 'last_used_at', 'Never'),
    { header: 'Created', by: 'created_at', cell: (key) => utcDateText(key.created_at) },
  ];
  if (actionsOf === null) return columns;
  const cell = (key: ApiKey) => (
    <ActionMenu label={`Actions for ${key.name}, …${key.reference}`} actions={actionsOf(key)} />
  );
  return [...columns, { header: 'Actions', cell, isPinned: true }];
}

/** Fewer keys are found by looking. */
const SEARCHED_FROM = 10;

function emptyText(actionsOf: ActionsOf): string {
  const nextStep =
    actionsOf === null
      ? 'A manager of the account can generate one.'
      : 'Generate one to read data from a program.';
  return `This account has no API keys yet. ${nextStep}`;
}

interface KeysTableProps {
  keys: readonly ApiKey[];
  /** Null where the person may only look. */
  actionsOf: ActionsOf;
}

export function KeysTable({ keys, actionsOf }: KeysTableProps) {
  const [nowMs] = useState(Date.now);
  return (
    <SearchedRows
      caption="API keys"
      what={['API key', 'API keys']}
      columns={columnsOf(nowMs, actionsOf)}
      rows={keys}
      rowKey={({ key_id }) => key_id}
      isFound={({ name, reference, status }, text) =>
        holdsAll(`${name} ${reference} ${status}`, text)
      }
      placeholder="Name, last characters or status"
      empty={emptyText(actionsOf)}
      searchedFrom={SEARCHED_FROM}
    />
  );
}

function RenameKeyDialog({ apiKey, account }: { apiKey: ApiKey; account: KeyAccount }) {
  const { keyPath, touches } = account;
  const form = useChangeForm({
    initial: { name: apiKey.name },
    problemsOf: ({ name }) => ({ name: nameProblem(name) }),
    send: ({ name }) => postJson<ApiKey>(`${keyPath(apiKey.key_id)}/rename`, { name }),
    touches,
    done: ({ name }) => `The key is now called “${name}”`,
  });
  return (
    <FormDialog title="Rename an API key" form={form} submitLabel="Rename">
      <TextField label="Name" {...form.field('name')} />
    </FormDialog>
  );
}

type KeyAct = 'activate' | 'deactivate' | 'delete';

const DESCRIPTIONS: Readonly<Record<KeyAct, string>> = {
  activate: 'The key works again immediately.',
  deactivate:
    'The key stops working until you activate it again. This makes room for another active key.',
  delete: 'The key stops working immediately. This cannot be undone.',
};

function keyActConfirmation(
  act: KeyAct,
  key: ApiKey,
  { keyPath, touches }: KeyAccount,
): Confirmation {
  const verb = sentenceCase(act);
  return {
    title: `${verb} “${key.name}” (…${key.reference})?`,
    description: DESCRIPTIONS[act],
    confirmLabel: `${verb} key`,
    isDangerous: act !== 'activate',
    send: () => postJson(`${keyPath(key.key_id)}/${act}`),
    touches,
    done: `The key “${key.name}” was ${act}d`,
  };
}

interface RotationRemindersProps {
  pending: readonly PendingRotation[];
  onContinue: (rotation: PendingRotation) => void;
  onForget: (oldKeyId: number) => void;
}

function RotationReminders({ pending, onContinue, onForget }: RotationRemindersProps) {
  return pending.map((rotation) => {
    const { oldKey, newKey } = rotation;
    return (
      <Notice
        key={oldKey.key_id}
        kind="warning"
        title={`The rotation of “${oldKey.name}” is not finished`}
      >
        <p>
          The old key <KeyEnd apiKey={oldKey} /> still works beside <KeyEnd apiKey={newKey} />.
          Revoke it once all programs use the new one.
        </p>
        <div className={styles.actions}>
          <Button onClick={() => onContinue(rotation)}>Continue</Button>
          <Button kind="quiet" onClick={() => onForget(oldKey.key_id)}>
            Keep both keys
          </Button>
        </div>
      </Notice>
    );
  });
}

interface ChangeableKeysProps {
  account: KeyAccount;
  keys: readonly ApiKey[];
  isFull: boolean;
}

export function ChangeableKeys({ account, keys, isFull }: ChangeableKeysProps) {
  const { rotations, remember, forget } = useRotations();
  const actionsOf = (key: ApiKey): readonly Action[] => {
    const show = (label: string, dialog: ReactNode) => ({
      label,
      onChoose: () => showDialog(dialog),
    });
    const ask = (label: string, act: KeyAct) => ({
      label,
      onChoose: () => confirmChange(keyActConfirmation(act, key, account)),
    });
    const rename = show('Rename…', <RenameKeyDialog apiKey={key} account={account} />);
    const rotate = <RotateKey oldKey={key} {...{ account, isFull, remember }} />;
    const remove = { ...ask('Delete…', 'delete'), isDangerous: true };
    const byStatus: Readonly<Record<ApiKey['status'], readonly Action[]>> = {
      active: [rename, show('Rotate…', rotate), ask('Deactivate…', 'deactivate'), remove],
      deactivated: [rename, ask('Activate…', 'activate'), remove],
      expired: [rename, remove],
    };
    return byStatus[key.status];
  };
  return (
    <>
      <RotationReminders
        pending={pendingRotations(rotations, keys)}
        onContinue={(pending) => askToSwitch(pending, account)}
        onForget={forget}
      />
      <KeysTable {...{ keys, actionsOf }} />
    </>
  );
}
