import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Publication, PublicationDiff, PublicationRecord } from '@ticklake/client';
import { useState } from 'react';
import { bytesText, countText, plural, sentenceCase, utcMinuteText } from '../format/texts';
import { Button } from '../ui/button';
import { Card, FoundPage, Notice, Page, Query } from '../ui/page';
import { figureColumn, nameColumn, Table, type TableColumn } from '../ui/table';
import { type Fact, Facts, TwoLines } from '../ui/texts';
import { ActorName, PublicationLink, PublicationState } from './names';
import styles from './publication-screen.module.css';
import { publicationDiffQuery, publicationRecordQuery, publicationsQuery } from './queries';
import { PublicationRollback, VersionRollback } from './rollback';

type Difference = PublicationDiff['datasets'][number];
type Part = Difference['partitions'][number];

const DIGEST_CHARACTERS = 12;
const DATASETS_SHOWN = 5;

function Totals({ of }: { of: Part['before'] }) {
  if (of === null) return '–';
  return <TwoLines first={plural(of.row_count, 'row')} second={bytesText(of.byte_count)} />;
}

const digestText = (of: Part['before']) => of?.content_digest.slice(0, DIGEST_CHARACTERS) ?? '–';

const PART_COLUMNS: readonly TableColumn<Part>[] = [
  { header: 'Partition', by: 'key', isRowHeader: true, cell: ({ key }) => key },
  { header: 'Change', by: 'change', cell: ({ change }) => sentenceCase(change) },
  { header: 'Before', isNumeric: true, cell: ({ before }) => <Totals of={before} /> },
  { header: 'After', isNumeric: true, cell: ({ after }) => <Totals of={after} /> },
  {
    header: 'Digest of rows',
    cell: ({ before, after }) => (
      <TwoLines
        first={digestText(after)}
        second={before === null ? 'New' : `Was ${digestText(before)}`}
      />
    ),
  },
];

/** Version 0 is the dataset before anything was published. */
function versionsText({ from_version: from, to_version: to }: Difference): string {
  return from === 0 ? `version ${to}, the first` : `version ${from} to ${to}`;
}

function DatasetParts({ of, known }: { of: Difference; known: readonly Publication[] }) {
  const { dataset_id: id, partitions, partition_count: count } = of;
  const dataset = known.find(({ dataset_id }) => dataset_id === id);
  return (
    <Card title={`${dataset?.dataset_name ?? 'Dataset'} (${id}): ${versionsText(of)}`}>
      <p>
        {partitions.length < count
          ? `${countText(partitions.length)} of ${plural(count, 'changed partition')}`
          : plural(count, 'changed partition')}
      </p>
      <Table
        caption={`Partitions of ${id}`}
        columns={PART_COLUMNS}
        rows={partitions}
        rowKey={({ key }) => key}
        empty="No partition was changed."
        isDense
      />
      <VersionRollback datasetId={id} version={of.to_version} current={dataset?.version ?? 0} />
    </Card>
  );
}

function PublicationParts({ publicationId }: { publicationId: number }) {
  const [isWhole, setIsWhole] = useState(false);
  const { data: known = [] } = useQuery(publicationsQuery);
  return (
    <Query of={publicationDiffQuery(publicationId)} what="the partitions">
      {({ datasets }) => (
        <>
          {(isWhole ? datasets : datasets.slice(0, DATASETS_SHOWN)).map((each) => (
            <DatasetParts key={each.dataset_id} of={each} known={known} />
          ))}
          {!isWhole && datasets.length > DATASETS_SHOWN && (
            <Button onClick={() => setIsWhole(true)}>
              Show all {countText(datasets.length)} datasets
            </Button>
          )}
        </>
      )}
    </Query>
  );
}

type Source = PublicationRecord['sources'][number];

const IDS_SHOWN = 6;

function DatasetIds({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return '–';
  return ids.length > IDS_SHOWN ? `${ids.length}, listed below` : ids.join(', ');
}

function factsOf(record: PublicationRecord): readonly Fact[] {
  const undoneBy = record.datasets.find((each) => each.rolled_back_by !== null)?.rolled_back_by;
  return [
    { name: 'Status', value: <PublicationState of={record} /> },
    { name: 'Kind', value: `${sentenceCase(record.kind)} (${record.command})` },
    {
      name: 'Datasets',
      value: <DatasetIds ids={record.datasets.map((each) => each.dataset_id)} />,
    },
    { name: 'Who', value: <ActorName actor={record.actor} /> },
    { name: 'Started', value: utcMinuteText(record.started_at) },
    {
      name: 'Finished',
      value: record.finished_at === null ? '–' : utcMinuteText(record.finished_at),
    },
    { name: 'Vendor', value: record.vendor ?? '–' },
    { name: 'Reason', value: record.reason ?? '–' },
    ...(record.message === null ? [] : [{ name: 'Message', value: record.message }]),
    ...(undoneBy ? [{ name: 'Rolled back by', value: <PublicationLink id={undoneBy} /> }] : []),
  ];
}

const SOURCE_COLUMNS: readonly TableColumn<Source>[] = [
  nameColumn('Source', ({ name }) => name, 'name'),
  { header: 'Dataset', by: 'dataset_id', cell: ({ dataset_id: id }) => id },
  figureColumn('Size', 'byte_count', bytesText),
  { header: 'SHA-256', cell: ({ sha256 }) => <code className={styles.digest}>{sha256}</code> },
];

function Sources({ sources, source_count: count }: PublicationRecord) {
  if (count === 0) return null;
  return (
    <Card title="Sources">
      {sources.length < count && (
        <p>
          {countText(sources.length)} of {plural(count, 'source')}
        </p>
      )}
      <Table
        caption="Sources"
        columns={SOURCE_COLUMNS}
        rows={sources}
        rowKey={({ dataset_id: id, name, sha256 }) => `${id} ${sha256} ${name}`}
        empty="No sources."
        isDense
      />
    </Card>
  );
}

function Checks({ checks }: PublicationRecord) {
  if (checks.length === 0) return null;
  return (
    <Card title="Checks">
      {checks.map(({ dataset_id: id, name, severity, count, examples }) => (
        <Notice
          key={`${id} ${name}`}
          kind={severity === 'refuse' ? 'danger' : 'warning'}
          title={`${id}, ${name}: ${countText(count)}`}
        >
          <ul>
            {examples.map((example) => (
              <li key={example}>{example}</li>
            ))}
          </ul>
        </Notice>
      ))}
    </Card>
  );
}

const BACK = <Link to="/publications/history">All publications</Link>;

function PublicationPage({ record }: { record: PublicationRecord }) {
  const { publication_id: id } = record;
  const actions = <PublicationRollback of={record} />;
  return (
    <Page title={`Publication ${id}`} back={BACK} actions={actions}>
      <Card>
        <Facts facts={factsOf(record)} />
      </Card>
      <Checks {...record} />
      <PublicationParts publicationId={id} />
      <Sources {...record} />
    </Page>
  );
}

export default function PublicationScreen() {
  const { publicationId } = useParams({
    from: '/signed-in/administration/publications/$publicationId',
  });
  return (
    <FoundPage
      of={publicationRecordQuery(publicationId)}
      noun="Publication"
      id={publicationId}
      back={BACK}
    >
      {(record) => <PublicationPage key={publicationId} record={record} />}
    </FoundPage>
  );
}
