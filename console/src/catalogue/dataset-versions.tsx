import { Link } from '@tanstack/react-router';
import type { DatasetVersion, DatasetVersionDetail } from '@ticklake/client';
import { datasetVersionQuery, datasetVersionsQuery } from '../api/queries';
import { countText, plural, sentenceCase } from '../format/texts';
import { Disclosure } from '../ui/disclosure';
import { Card, Query } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { Badge, MomentText } from '../ui/texts';
import { rowsText } from './dataset-text';
import styles from './dataset-versions.module.css';

type PartitionChange = DatasetVersionDetail['partitions'][number];

const PARTITION_COLUMNS: readonly TableColumn<PartitionChange>[] = [
  {
    header: 'Partition',
    by: 'partition',
    isRowHeader: true,
    cell: (row) => <code>{row.partition}</code>,
  },
  { header: 'Change', by: 'change', cell: (row) => row.change },
  { header: 'Rows before', isNumeric: true, cell: (row) => rowsText(row.rows_before) },
  { header: 'Rows after', isNumeric: true, cell: (row) => rowsText(row.rows_after) },
];

function Changes({ datasetId, version }: { datasetId: string; version: number }) {
  return (
    <Query of={datasetVersionQuery(datasetId, version)} what="what changed">
      {({ partitions, pagination }) => (
        <>
          <p>
            {plural(partitions.length, 'partition')}
            {pagination.next_after !== null && ', and more'}
          </p>
          <Table
            caption={`What version ${version} changed`}
            columns={PARTITION_COLUMNS}
            rows={partitions}
            rowKey={(row) => row.partition}
            empty="This version changed nothing that your account can read."
            isDense
          />
        </>
      )}
    </Query>
  );
}

function State({ version }: { version: DatasetVersion }) {
  if (version.is_current) return <Badge kind="good">Current</Badge>;
  if (version.is_available) return <Badge kind="quiet">Readable</Badge>;
  return <Badge kind="warning">No longer retained</Badge>;
}

function Item({ datasetId, version }: { datasetId: string; version: DatasetVersion }) {
  const { version: number, published_at: time, kind, reason, vendor, row_count: rows } = version;
  return (
    <li className={styles.version}>
      <div className={styles.line}>
        <strong>Version {countText(number)}</strong>
        <State version={version} />
        <span>{sentenceCase(kind)}</span>
        {vendor && <span className={styles.quiet}>{vendor}</span>}
        {rows !== null && <span className={styles.quiet}>{plural(rows, 'row')}</span>}
        {version.is_available && (
          <Link to="/explorer" search={{ dataset: datasetId, version: String(number) }}>
            Open in the Explorer
          </Link>
        )}
        <span className={styles.time}>
          <MomentText time={time} isShort />
        </span>
      </div>
      {reason && <p>{reason}</p>}
      <Disclosure label="What changed">
        <Changes datasetId={datasetId} version={number} />
      </Disclosure>
    </li>
  );
}

export function DatasetVersions({ datasetId }: { datasetId: string }) {
  return (
    <Card title="Versions">
      <p>
        Each publication makes a new version, and versions never change. More about{' '}
        <a href="/docs/versions">versions</a>.
      </p>
      <Query of={datasetVersionsQuery(datasetId)} what="the versions">
        {({ data, pagination }) => (
          <>
            {data.length === 0 && <p>Nothing has been published yet.</p>}
            <ol className={styles.list} aria-label="Versions">
              {data.map((version) => (
                <Item key={version.version} datasetId={datasetId} version={version} />
              ))}
            </ol>
            {pagination.next_before !== null && <p>To see earlier versions, use the API.</p>}
          </>
        )}
      </Query>
    </Card>
  );
}
