import type { QueryForm } from '@ticklake/client';
import { columnsQuery } from '../api/queries';
import { Card, Query } from '../ui/page';
import { SearchedRows } from '../ui/searched-table';
import type { TableColumn } from '../ui/table';
import styles from './dataset-columns.module.css';
import { type DescribedColumn, describedColumns, isColumnFound } from './dataset-text';

function Operators({ operators }: { operators: readonly string[] }) {
  if (operators.length === 0) return <span className={styles.type}>No filter</span>;
  return (
    <span className={styles.operators}>
      <span className={styles.type}>Filters:</span>
      {operators.map((operator) => (
        <code key={operator} className={styles.operator}>
          {operator}
        </code>
      ))}
    </span>
  );
}

/** Long names are broken between their words. */
const WORD_END = /(?<=[a-z])(?=[A-Z])/;

const COLUMNS: readonly TableColumn<DescribedColumn>[] = [
  {
    header: 'Column',
    by: 'name',
    isRowHeader: true,
    cell: ({ name, dataType }) => (
      <span className={styles.name}>
        <code>{name.split(WORD_END).flatMap((word, at) => [word, <wbr key={at} />])}</code>
        <span className={styles.type}>{dataType}</span>
      </span>
    ),
  },
  {
    header: 'Description',
    by: 'description',
    isWrapped: true,
    cell: (row) => (
      <span className={styles.description}>
        {row.description}
        <Operators {...row} />
      </span>
    ),
  },
];

function ColumnTable({ columns }: { columns: readonly DescribedColumn[] }) {
  const types = [...new Set(columns.map(({ dataType }) => dataType))].sort();
  return (
    <SearchedRows
      caption="Columns"
      what={['column', 'columns']}
      columns={COLUMNS}
      rows={columns}
      rowKey={({ name }) => name}
      isFound={isColumnFound}
      placeholder="Name or description"
      empty="None"
      choice={{
        label: 'Type',
        allLabel: 'All types',
        names: types,
        nameOf: ({ dataType }) => dataType,
      }}
    />
  );
}

export function DatasetColumns({ shape }: { shape: QueryForm }) {
  return (
    <Card title="Columns">
      <Query of={columnsQuery(shape.dataset_id)} what="the columns">
        {(loaded) => <ColumnTable columns={describedColumns(loaded, shape)} />}
      </Query>
    </Card>
  );
}
