import { Collapsible } from '@base-ui/react/collapsible';
import { useQuery } from '@tanstack/react-query';
import type { Column, PublicDataset } from '@ticklake/client';
import { ChevronRight } from 'lucide-react';
import { bytesText, countText, plural } from '../format/amounts';
import { coverageText } from '../format/coverage';
import { Badge } from '../ui/badge';
import { Loaded } from '../ui/loading';
import { SampleTable } from '../ui/sample-table';
import { Table, type TableColumn } from '../ui/table';
import styles from './public-catalogue.module.css';
import { publicColumnsQuery, publicSampleQuery } from './public-queries';

const COLUMNS: readonly TableColumn<Column>[] = [
  { header: 'Column', isRowHeader: true, cell: ({ name }) => <code>{name}</code> },
  { header: 'Type', cell: (column) => column.data_type },
  { header: 'Description', isWrapped: true, cell: (column) => column.description },
];

function Sample({ dataset }: { dataset: PublicDataset }) {
  const sample = useQuery(publicSampleQuery(dataset.dataset_id));
  return (
    <Loaded query={sample} what="the sample">
      {({ data }) => <SampleTable caption={`Sample of ${dataset.dataset_name}`} rows={data} />}
    </Loaded>
  );
}

function Details({ dataset }: { dataset: PublicDataset }) {
  const columns = useQuery(publicColumnsQuery(dataset.dataset_id));
  return (
    <>
      <p>{dataset.description}</p>
      {dataset.has_sample && (
        <>
          <h4>Sample: first rows of {dataset.first_trade_date ?? 'the dataset'}</h4>
          <Sample dataset={dataset} />
        </>
      )}
      <h4>Columns</h4>
      <Loaded query={columns} what="the columns">
        {(loaded) => (
          <Table
            caption={`Columns of ${dataset.dataset_name}`}
            columns={COLUMNS}
            rows={loaded}
            rowKey={({ name }) => name}
            empty="None"
            isDense
          />
        )}
      </Loaded>
    </>
  );
}

interface PublicDatasetItemProps {
  dataset: PublicDataset;
  /** Those by which a search found it. */
  columns: readonly string[];
}

/** A dataset in one line, which opens to its columns and sample. */
export function PublicDatasetItem({ dataset, columns }: PublicDatasetItemProps) {
  return (
    <Collapsible.Root render={<li />} className={styles.item}>
      <Collapsible.Trigger className={styles.row}>
        <ChevronRight size={16} aria-hidden className={styles.chevron} />
        <span className={styles.name}>
          <strong>{dataset.dataset_name}</strong>
          <span className={styles.quiet}>{dataset.description}</span>
          {columns.length > 0 && (
            <span className={styles.columns}>Columns: {columns.join(', ')}</span>
          )}
        </span>
        <span className={styles.granularity}>{dataset.time_granularity}</span>
        <span>
          {coverageText(dataset.first_trade_date, dataset.last_trade_date, 'No trade dates')}
        </span>
        <span className={styles.size}>
          {plural(dataset.row_count, 'row')}
          <span className={styles.quiet}>
            {bytesText(dataset.stored_bytes)}, {countText(dataset.column_names.length)} columns
          </span>
        </span>
        <span className={styles.sample}>
          {dataset.has_sample && <Badge kind="good">Sample</Badge>}
        </span>
      </Collapsible.Trigger>
      <Collapsible.Panel className={styles.details}>
        <Details dataset={dataset} />
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}
