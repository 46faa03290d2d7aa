import type { QueryForm } from '@ticklake/client';
import { useMemo, useState } from 'react';
import { columnsQuery } from '../api/queries';
import { foundText } from '../format/texts';
import { SearchField } from '../ui/field';
import { Card, Query } from '../ui/page';
import { optionsOf, SelectField } from '../ui/select-field';
import { Table, type TableColumn } from '../ui/table';
import { Toolbar } from '../ui/toolbar';
import styles from './dataset-columns.module.css';
import { type DescribedColumn, describedColumns, matchingColumns } from './dataset-text';

const ALL = 'all';

function Operators({ operators }: { operators: readonly string[] }) {
  if (operators.length === 0) return <span className={styles.type}>No filter</span>;
  return (
    <span className={styles.operators}>
      <span className="visually-hidden">Operators</span>
      {operators.map((operator) => (
        <code key={operator} className={styles.operator}>
          {operator}
        </code>
      ))}
    </span>
  );
}

const COLUMNS: readonly TableColumn<DescribedColumn>[] = [
  {
    header: 'Column',
    isRowHeader: true,
    cell: ({ name, dataType }) => (
      <span className={styles.name}>
        <code>{name}</code>
        <span className={styles.type}>{dataType}</span>
      </span>
    ),
  },
  {
    header: 'Description',
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
  const [text, setText] = useState('');
  const [type, setType] = useState(ALL);
  const types = useMemo(
    () => [...new Set(columns.map(({ dataType }) => dataType))].sort(),
    [columns],
  );
  const found = matchingColumns(columns, text, type === ALL ? null : type);
  return (
    <>
      <Toolbar label="Filter columns">
        <SearchField
          label="Search columns"
          name="columns"
          placeholder="Name or description"
          value={text}
          onValueChange={setText}
        />
        <SelectField
          label="Type"
          name="type"
          value={type}
          options={optionsOf(types, 'All types')}
          onValueChange={setType}
        />
      </Toolbar>
      <p role="status">{foundText(found.length, columns.length, 'column')}</p>
      <Table
        caption="Columns"
        columns={COLUMNS}
        rows={found}
        rowKey={({ name }) => name}
        empty="No columns match."
      />
    </>
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
