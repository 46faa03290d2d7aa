import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../ui/button';
import { ComboboxField } from '../ui/combobox-field';
import { Loaded, MoreButton } from '../ui/loading';
import { Page } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { Table } from '../ui/table';
import { Toolbar } from '../ui/toolbar';
import { HISTORY_COLUMNS } from './history-columns';
import { type HistoryFilter, readHistoryFilter, STATE_LABELS } from './history-filter';
import { PruneDialog } from './prune-dialog';
import { historyQuery, publicationsQuery } from './queries';
import { WithdrawDialog } from './withdraw-dialog';

const ALL = 'all';
const STATE_OPTIONS = [
  { value: ALL, label: 'All' },
  ...Object.entries(STATE_LABELS).map(([value, label]) => ({ value, label })),
];

interface FilterProps {
  filter: HistoryFilter;
  onFilterChange: (filter: HistoryFilter) => void;
}

function HistoryFilterFields({ filter, onFilterChange }: FilterProps) {
  const { data: datasets = [] } = useQuery(publicationsQuery);
  const change = (changed: Readonly<Record<string, string>>) =>
    onFilterChange(readHistoryFilter({ ...filter, ...changed }));
  return (
    <Toolbar label="Filter the history">
      <ComboboxField
        label="Dataset"
        name="dataset"
        value={filter.dataset ?? ''}
        options={datasets.map(({ dataset_id: value, dataset_name: label }) => ({
          value,
          label,
          hint: value,
        }))}
        onValueChange={(dataset) => change({ dataset })}
        placeholder="All datasets"
      />
      <SelectField
        label="State"
        name="state"
        value={filter.state ?? ALL}
        options={STATE_OPTIONS}
        onValueChange={(state) => change({ state })}
      />
      {Object.keys(filter).length > 0 && (
        <Button onClick={() => onFilterChange({})}>Show all</Button>
      )}
    </Toolbar>
  );
}

function History({ filter }: { filter: HistoryFilter }) {
  const history = useInfiniteQuery(historyQuery(filter));
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
          />
          <MoreButton query={history}>Show older publications</MoreButton>
        </>
      )}
    </Loaded>
  );
}

export function HistoryScreen() {
  const filter = useSearch({ from: '/signed-in/administration/publications/history' });
  const navigate = useNavigate({ from: '/publications/history' });
  const [asked, setAsked] = useState<'withdraw' | 'prune' | null>(null);
  const onClose = () => setAsked(null);
  return (
    <Page
      title="History of publications"
      back={<Link to="/publications">Publications</Link>}
      description="Every load, rollback and withdrawal, newest first."
      actions={
        <>
          <Button onClick={() => setAsked('withdraw')}>Withdraw rows…</Button>
          <Button onClick={() => setAsked('prune')}>Prune…</Button>
        </>
      }
    >
      <HistoryFilterFields
        filter={filter}
        onFilterChange={(search) => void navigate({ search, replace: true, resetScroll: false })}
      />
      <History filter={filter} />
      {asked === 'withdraw' && (
        <WithdrawDialog datasetId={filter.dataset ?? ''} onClose={onClose} />
      )}
      {asked === 'prune' && <PruneDialog onClose={onClose} />}
    </Page>
  );
}
