import type { ApiKey } from '@ticklake/client';
import { useState } from 'react';
import { countText, plural } from '../format/amounts';
import { utcDateText } from '../format/times';
import { type Action, ActionMenu } from '../ui/action-menu';
import { Badge, type BadgeKind } from '../ui/badge';
import { SearchField } from '../ui/field';
import { holdsAll } from '../ui/holds-all';
import { MomentText } from '../ui/moment-text';
import { Table, type TableColumn } from '../ui/table';
import { Toolbar } from '../ui/toolbar';
import type { KeyAct } from './key-acts';
import { KeyEnd } from './key-end';
import styles from './keys-table.module.css';

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

export interface KeyActions {
  readonly onRename: (key: ApiKey) => void;
  readonly onRotate: (key: ApiKey) => void;
  readonly onAct: (act: KeyAct, key: ApiKey) => void;
}

/** The actions on a key, which depend on its status. */
function actionsOf(key: ApiKey, { onRename, onRotate, onAct }: KeyActions): Action[] {
  const rename = { label: 'Rename…', onChoose: () => onRename(key) };
  const rotate = { label: 'Rotate…', onChoose: () => onRotate(key) };
  const activate = { label: 'Activate…', onChoose: () => onAct('activate', key) };
  const deactivate = { label: 'Deactivate…', onChoose: () => onAct('deactivate', key) };
  const remove = { label: 'Delete…', onChoose: () => onAct('delete', key), isDangerous: true };
  const byStatus: Readonly<Record<ApiKey['status'], Action[]>> = {
    active: [rename, rotate, deactivate, remove],
    deactivated: [rename, activate, remove],
    expired: [rename, remove],
  };
  return byStatus[key.status];
}

function columnsOf(nowMs: number, actions: KeyActions | null): TableColumn<ApiKey>[] {
  const columns: TableColumn<ApiKey>[] = [
    {
      header: 'Name',
      cell: ({ name }) => <span className={styles.name}>{name}</span>,
      isRowHeader: true,
    },
    { header: 'Ends in', cell: (key) => <KeyEnd apiKey={key} /> },
    { header: 'Status', cell: ({ status }) => <Badge kind={STATUS_KINDS[status]}>{status}</Badge> },
    { header: 'Created', cell: (key) => utcDateText(key.created_at) },
    {
      header: 'Last used',
      cell: (key) => <MomentText time={key.last_used_at} isShort absent="Never" />,
    },
    { header: 'Expires', cell: (key) => <Expiry apiKey={key} nowMs={nowMs} /> },
  ];
  if (actions === null) return columns;
  const cell = (key: ApiKey) => (
    <ActionMenu
      label={`Actions for ${key.name}, …${key.reference}`}
      actions={actionsOf(key, actions)}
    />
  );
  return [...columns, { header: 'Actions', cell, isPinned: true }];
}

/** Fewer keys are found by looking. */
const SEARCHED_FROM = 10;

function emptyText(actions: KeyActions | null): string {
  const nextStep =
    actions === null
      ? 'A manager of the account can generate one.'
      : 'Generate one to read data from a program.';
  return `This account has no API keys yet. ${nextStep}`;
}

interface KeysTableProps {
  keys: readonly ApiKey[];
  /** Null where the person may only look. */
  actions: KeyActions | null;
}

export function KeysTable({ keys, actions }: KeysTableProps) {
  const [nowMs] = useState(Date.now);
  const [search, setSearch] = useState('');
  const found = keys.filter((key) =>
    holdsAll(`${key.name} ${key.reference} ${key.status}`, search),
  );
  return (
    <>
      {keys.length >= SEARCHED_FROM && (
        <Toolbar label="Search API keys">
          <SearchField
            placeholder="Name, last characters or status"
            value={search}
            onValueChange={setSearch}
          />
          <p role="status">
            {search !== '' && `${countText(found.length)} of ${plural(keys.length, 'key')}`}
          </p>
        </Toolbar>
      )}
      <Table
        caption="API keys"
        columns={columnsOf(nowMs, actions)}
        rows={found}
        rowKey={({ key_id }) => key_id}
        empty={keys.length === 0 ? emptyText(actions) : 'No keys match.'}
      />
    </>
  );
}
