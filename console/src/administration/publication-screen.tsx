import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { PublicationRecord } from '@ticklake/client';
import { useState } from 'react';
import { bytesText, countText, plural } from '../format/amounts';
import { utcMinuteText } from '../format/times';
import { sentenceCase } from '../format/words';
import { Button } from '../ui/button';
import { type Fact, Facts } from '../ui/facts';
import { FoundPage } from '../ui/loading';
import { Notice } from '../ui/notice';
import { Card, Page } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { ActorName, PublicationLink } from './names';
import { PublicationParts } from './publication-parts';
import styles from './publication-screen.module.css';
import { PublicationState } from './publication-state';
import { publicationRecordQuery } from './queries';
import { RollbackDialog } from './rollback-dialog';
import { canRollBack, rollbackSentences } from './rollback-text';

type Source = PublicationRecord['sources'][number];

/** More than these are only counted. */
const IDS_SHOWN = 6;

function DatasetIds({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return '–';
  return ids.length > IDS_SHOWN ? `${ids.length}, listed below` : ids.join(', ');
}

function factsOf(record: PublicationRecord): readonly Fact[] {
  const undoneBy = record.datasets.find((each) => each.rolled_back_by !== null)?.rolled_back_by;
  return [
    { name: 'State', value: <PublicationState of={record} /> },
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
  { header: 'Source', isRowHeader: true, isWrapped: true, cell: ({ name }) => name },
  { header: 'Dataset', cell: ({ dataset_id: id }) => id },
  { header: 'Size', isNumeric: true, cell: ({ byte_count: count }) => bytesText(count) },
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
  const [isAsked, setIsAsked] = useState(false);
  const { publication_id: id } = record;
  return (
    <Page
      title={`Publication ${id}`}
      back={BACK}
      actions={canRollBack(record) && <Button onClick={() => setIsAsked(true)}>Roll back…</Button>}
    >
      <Card>
        <Facts facts={factsOf(record)} />
      </Card>
      <Checks {...record} />
      <PublicationParts publicationId={id} />
      <Sources {...record} />
      {isAsked && (
        <RollbackDialog
          title={`Roll back publication ${id}?`}
          sentences={rollbackSentences(record)}
          target={{ publication_id: id }}
          done={`Publication ${id} was rolled back`}
          onClose={() => setIsAsked(false)}
        />
      )}
    </Page>
  );
}

export function PublicationScreen() {
  const { publicationId } = useParams({
    from: '/signed-in/administration/publications/$publicationId',
  });
  const query = useQuery(publicationRecordQuery(publicationId));
  return (
    <FoundPage query={query} noun="Publication" id={publicationId} back={BACK}>
      {(record) => <PublicationPage key={publicationId} record={record} />}
    </FoundPage>
  );
}
