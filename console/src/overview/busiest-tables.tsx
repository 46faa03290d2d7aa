import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApiKey, UsageOfDay } from '@ticklake/client';
import type { ReactNode } from 'react';
import { catalogueQuery } from '../api/queries';
import { QUANTITIES, type Quantity } from '../format/quantities';
import { KeyEnd } from '../keys/key-end';
import { Table, type TableColumn } from '../ui/table';
import styles from './busiest-tables.module.css';
import { busiest, type Share } from './usage-summary';

const SHOWN_MAX = 5;

interface BusiestProps<Key> {
  caption: string;
  header: string;
  rows: readonly UsageOfDay[];
  keyOf: (row: UsageOfDay) => Key;
  measure: Quantity;
  name: (key: Key) => ReactNode;
}

function shareText(share: number): string {
  return share < 0.005 ? '< 1%' : `${Math.round(share * 100)}%`;
}

function BusiestTable<Key>(props: BusiestProps<Key>) {
  const { caption, header, rows, keyOf, measure, name } = props;
  const { label, text } = QUANTITIES[measure];
  const columns: readonly TableColumn<Share<Key>>[] = [
    {
      header,
      cell: ({ key }) => <span className={styles.name}>{name(key)}</span>,
      isRowHeader: true,
    },
    { header: label, cell: ({ amount }) => text(amount), isNumeric: true },
    { header: 'Share', cell: ({ share }) => shareText(share), isNumeric: true },
  ];
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={busiest(rows, keyOf, measure, SHOWN_MAX)}
      rowKey={({ key }) => String(key)}
      empty="Nothing used this month yet."
    />
  );
}

interface BusiestOf {
  rows: readonly UsageOfDay[];
  measure: Quantity;
}

export function BusiestDatasets({ rows, measure }: BusiestOf) {
  const { data: catalogue = [] } = useQuery(catalogueQuery);
  const name = (datasetId: string | null) => {
    if (datasetId === null) return 'No dataset';
    const row = catalogue.find((one) => one.dataset_id === datasetId);
    if (row === undefined) return datasetId;
    return (
      <Link to="/catalogue/$datasetId" params={{ datasetId }}>
        {row.dataset_name}
      </Link>
    );
  };
  return (
    <BusiestTable
      caption="Busiest datasets"
      header="Dataset"
      rows={rows}
      keyOf={({ dataset_id }) => dataset_id}
      measure={measure}
      name={name}
    />
  );
}

interface BusiestKeysProps extends BusiestOf {
  /** Those that are not deleted; undefined while they are not known. */
  keys: readonly ApiKey[] | undefined;
}

export function BusiestKeys({ rows, measure, keys }: BusiestKeysProps) {
  const name = (keyId: number | null) => {
    if (keyId === null) return 'The console';
    const key = keys?.find((one) => one.key_id === keyId);
    if (key === undefined) return `Key ${keyId}${keys ? ' (deleted)' : ''}`;
    return (
      <>
        {key.name} <KeyEnd apiKey={key} />
      </>
    );
  };
  return (
    <BusiestTable
      caption="Busiest keys"
      header="Key"
      rows={rows}
      keyOf={({ key_id }) => key_id}
      measure={measure}
      name={name}
    />
  );
}
