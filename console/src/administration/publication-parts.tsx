import { useQuery } from '@tanstack/react-query';
import type { PublicationDiff } from '@ticklake/client';
import { useState } from 'react';
import { bytesText, countText, plural } from '../format/amounts';
import { sentenceCase } from '../format/words';
import { Button } from '../ui/button';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { TwoLines } from '../ui/two-lines';
import { publicationDiffQuery, publicationsQuery } from './queries';
import { VersionRollback } from './rollback-dialog';

type Difference = PublicationDiff['datasets'][number];
type Part = Difference['partitions'][number];

const DIGEST_CHARACTERS = 12;
/** Those of further datasets are shown where they are asked for. */
const DATASETS_SHOWN = 5;

function Totals({ of }: { of: Part['before'] }) {
  if (of === null) return '–';
  return <TwoLines first={plural(of.row_count, 'row')} second={bytesText(of.byte_count)} />;
}

const digestText = (of: Part['before']) => of?.content_digest.slice(0, DIGEST_CHARACTERS) ?? '–';

const PART_COLUMNS: readonly TableColumn<Part>[] = [
  { header: 'Partition', isRowHeader: true, cell: ({ key }) => key },
  { header: 'Change', cell: ({ change }) => sentenceCase(change) },
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

function DatasetParts({ of, nameOf }: { of: Difference; nameOf: (id: string) => string }) {
  const { dataset_id: id, partitions, partition_count: count } = of;
  return (
    <Card title={`${nameOf(id)} (${id}): ${versionsText(of)}`}>
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
      <VersionRollback datasetId={id} version={of.to_version} />
    </Card>
  );
}

/** What a publication made of each partition. */
export function PublicationParts({ publicationId }: { publicationId: number }) {
  const [isWhole, setIsWhole] = useState(false);
  const diff = useQuery(publicationDiffQuery(publicationId));
  const { data: known = [] } = useQuery(publicationsQuery);
  const nameOf = (id: string) =>
    known.find(({ dataset_id }) => dataset_id === id)?.dataset_name ?? 'Dataset';
  return (
    <Loaded query={diff} what="the partitions">
      {({ datasets }) => (
        <>
          {(isWhole ? datasets : datasets.slice(0, DATASETS_SHOWN)).map((each) => (
            <DatasetParts key={each.dataset_id} of={each} nameOf={nameOf} />
          ))}
          {!isWhole && datasets.length > DATASETS_SHOWN && (
            <div>
              <Button onClick={() => setIsWhole(true)}>
                Show all {countText(datasets.length)} datasets
              </Button>
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}
