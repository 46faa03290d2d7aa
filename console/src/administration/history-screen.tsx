import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PublicationSummary } from '@ticklake/client';
import { postJson } from '../api/client';
import { countText, sentenceCase } from '../format/texts';
import { useKnownSearch, useTableView } from '../layout/known-search';
import { Button } from '../ui/button';
import { ComboboxField } from '../ui/combobox-field';
import { type Confirmation, ConfirmChange } from '../ui/dialog';
import { showDialog } from '../ui/open-dialog';
import { Loaded, MoreButton, Page } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { momentColumn, Table, type TableColumn } from '../ui/table';
import { TwoLines } from '../ui/texts';
import { Toolbar } from '../ui/toolbar';
import { ActorName, PublicationLink, PublicationState } from './names';
import { pruningSentences } from './publication-text';
import { historyQuery, PUBLISHED_QUERIES, pruningQuery, useDatasetOptions } from './queries';
import { PublicationRollback } from './rollback';
import { type HistoryFilter, PUBLICATION_STATES, readHistoryFilter } from './searches';
import { askToWithdraw } from './withdraw-dialog';

/** The first one's name, which the others follow in number. */
function DatasetNames({ datasets }: PublicationSummary) {
  const options = useDatasetOptions();
  const [first, ...others] = datasets;
  if (first === undefined) return '–';
  const name = options.find(({ value }) => value === first.dataset_id)?.label ?? first.dataset_id;
  return others.length === 0 ? name : `${name} and ${others.length} more`;
}

function rowChange({ datasets }: PublicationSummary): number {
  return datasets.reduce((sum, each) => sum + each.row_count_after - each.row_count_before, 0);
}

function changeText(change: number): string {
  if (change === 0) return '0';
  return `${change > 0 ? '+' : '−'}${countText(Math.abs(change))}`;
}

const reasonOf = ({ reason, message }: PublicationSummary) => reason ?? message;

export const HISTORY_COLUMNS: readonly TableColumn<PublicationSummary>[] = [
  {
    header: 'Publication',
    by: 'publication_id',
    isRowHeader: true,
    cell: ({ publication_id: id, kind }) => (
      <TwoLines first={<PublicationLink id={id} />} second={sentenceCase(kind)} />
    ),
  },
  { header: 'Status', by: 'state', cell: (row) => <PublicationState of={row} /> },
  {
    header: 'Datasets',
    by: ({ datasets }) => datasets.map(({ dataset_id: id }) => id).join(' '),
    isWrapped: true,
    cell: (row) => <DatasetNames {...row} />,
  },
  { header: 'Rows', by: rowChange, isNumeric: true, cell: (row) => changeText(rowChange(row)) },
  momentColumn('Started', 'started_at'),
  { header: 'Who', by: 'actor', cell: ({ actor }) => <ActorName actor={actor} /> },
  { header: 'Reason', by: reasonOf, isWrapped: true, cell: (row) => reasonOf(row) ?? '–' },
  { header: 'Undo', isPinned: true, cell: (row) => <PublicationRollback of={row} /> },
];

const LOSS = 'These versions can no longer be read or rolled back to. This cannot be undone.';

function PruneDialog() {
  const { data: planned, error } = useQuery(pruningQuery);
  const isReady = planned !== undefined && planned.datasets.length > 0;
  const prune: Confirmation = {
    title: 'Prune earlier versions?',
    description: isReady ? LOSS : null,
    cancelLabel: planned && !isReady ? 'Close' : 'Cancel',
    sentences: planned
      ? pruningSentences(planned)
      : [error?.message ?? 'Checking what would be removed…'],
    confirmLabel: isReady ? 'Prune' : null,
    isDangerous: true,
    send: () => postJson('/admin/publications/prune'),
    touches: PUBLISHED_QUERIES,
    done: 'The versions were pruned',
  };
  return <ConfirmChange {...prune} />;
}

const STATE_OPTIONS = [
  { value: '', label: 'All' },
  ...PUBLICATION_STATES.map((value) => ({ value, label: sentenceCase(value) })),
];

function HistoryFilterFields() {
  const [filter, change, field] = useKnownSearch(readHistoryFilter);
  return (
    <Toolbar label="Filter the history">
      <ComboboxField
        label="Dataset"
        options={useDatasetOptions()}
        placeholder="All datasets"
        {...field('dataset')}
      />
      <SelectField label="Status" options={STATE_OPTIONS} {...field('state')} />
      {Object.keys(filter).length > 0 && <Button onClick={() => change({})}>Show all</Button>}
    </Toolbar>
  );
}

function History({ filter }: { filter: HistoryFilter }) {
  const history = useInfiniteQuery(historyQuery(filter));
  const kept = useTableView();
  return (
    <Loaded query={history} what="the history">
      {({ pages }) => (
        <>
          <Table
            caption="History of publications"
            columns={HISTORY_COLUMNS}
            rows={pages.flatMap((page) => page.data)}
            rowKey={({ publication_id: id }) => id}
            empty="No publications match."
            isDense
            isPart={history.hasNextPage}
            kept={kept}
          />
          <MoreButton query={history}>Show older publications</MoreButton>
        </>
      )}
    </Loaded>
  );
}

export default function HistoryScreen() {
  const [filter] = useKnownSearch(readHistoryFilter);
  return (
    <Page
      title="History of publications"
      back={<Link to="/publications">Publications</Link>}
      description="Every load, rollback and withdrawal, newest first."
      actions={
        <>
          <Button onClick={() => askToWithdraw(filter.dataset)}>Withdraw rows…</Button>
          <Button onClick={() => showDialog(<PruneDialog />)}>Prune…</Button>
        </>
      }
    >
      <HistoryFilterFields />
      <History filter={filter} />
    </Page>
  );
}
