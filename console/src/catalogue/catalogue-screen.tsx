import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { CatalogueEntry } from '@ticklake/client';
import { ChevronRight } from 'lucide-react';
import { catalogueEntriesQuery } from '../api/queries';
import { coverageText, foundText, plural } from '../format/texts';
import { Button } from '../ui/button';
import { CheckboxField } from '../ui/checkbox-field';
import { SearchField } from '../ui/field';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { Badge, TwoLines } from '../ui/texts';
import { Toolbar, useSearchText } from '../ui/toolbar';
import type { CatalogueSearch } from './catalogue-search';
import styles from './dataset-list.module.css';
import { foundColumns, groupsOf, matchingEntries } from './dataset-search';

interface DatasetListProps {
  entries: readonly CatalogueEntry[];
  text: string;
}

function Access({ isEntitled }: { isEntitled: boolean }) {
  return isEntitled ? <Badge kind="good">Entitled</Badge> : <Badge kind="quiet">No access</Badge>;
}

function Coverage({ entry }: { entry: CatalogueEntry }) {
  const { first_trade_date: first, last_trade_date: last, row_count: rows } = entry;
  if (rows === null) return null;
  return (
    <TwoLines first={coverageText(first, last, 'No trade dates')} second={plural(rows, 'row')} />
  );
}

function Item({ entry, text }: { entry: CatalogueEntry; text: string }) {
  const columns = foundColumns(entry, text);
  return (
    <li className={styles.row}>
      <div className={styles.name}>
        <Link
          to="/catalogue/$datasetId"
          params={{ datasetId: entry.dataset_id }}
          className={styles.link}
        >
          {entry.dataset_name}
        </Link>
        <code className={styles.quiet}>{entry.dataset_text_id}</code>
        {columns.length > 0 && (
          <span className={styles.columns}>Columns: {columns.join(', ')}</span>
        )}
      </div>
      <code>{entry.dataset_id}</code>
      <span>{entry.data_group}</span>
      <span className={styles.quiet}>{entry.time_granularity}</span>
      <span>
        <Coverage entry={entry} />
      </span>
      <span className={styles.access}>
        <Access isEntitled={entry.is_entitled} />
      </span>
      <ChevronRight size={16} aria-hidden className={styles.chevron} />
    </li>
  );
}

export function DatasetList({ entries, text }: DatasetListProps) {
  return (
    <ul className={styles.list} aria-label="Datasets">
      {entries.map((entry) => (
        <Item key={entry.dataset_id} entry={entry} text={text} />
      ))}
    </ul>
  );
}

const ALL = 'all';

interface FilterProps {
  rows: readonly CatalogueEntry[];
  search: CatalogueSearch;
  onSearchChange: (search: CatalogueSearch) => void;
}

function CatalogueFilter({ rows, search, onSearchChange }: FilterProps) {
  const { group, mine, q = '' } = search;
  const [text, setText] = useSearchText(q, (next) => {
    const { q: _, ...others } = search;
    onSearchChange(next.trim() === '' ? others : { ...others, q: next });
  });
  const changeGroup = (next: string) => {
    const { group: _, ...others } = search;
    onSearchChange(next === ALL ? others : { ...others, group: next });
  };
  const changeMine = (isMine: boolean) => {
    const { mine: _, ...others } = search;
    onSearchChange(isMine ? { ...others, mine: true } : others);
  };
  const groups = groupsOf(rows).map((name) => ({ value: name, label: name }));
  return (
    <Toolbar label="Filter the catalogue">
      <SearchField placeholder="Name, description or column" value={text} onValueChange={setText} />
      <SelectField
        label="Group"
        name="group"
        value={group ?? ALL}
        options={[{ value: ALL, label: 'All groups' }, ...groups]}
        onValueChange={changeGroup}
      />
      <CheckboxField
        label="Only datasets I can read"
        name="mine"
        value={mine === true}
        onValueChange={changeMine}
      />
    </Toolbar>
  );
}

function Catalogue({ rows }: { rows: readonly CatalogueEntry[] }) {
  const search = useSearch({ from: '/signed-in/account/catalogue' });
  const navigate = useNavigate({ from: '/catalogue' });
  const found = matchingEntries(rows, search);
  const change = (next: CatalogueSearch) =>
    void navigate({ search: next, replace: true, resetScroll: false });
  return (
    <>
      <CatalogueFilter rows={rows} search={search} onSearchChange={change} />
      <p role="status">{foundText(found.length, rows.length, 'dataset')}</p>
      {found.length > 0 ? (
        <DatasetList entries={found} text={search.q ?? ''} />
      ) : (
        <div>
          <Button onClick={() => change({})}>Show all datasets</Button>
        </div>
      )}
    </>
  );
}

export function CatalogueScreen() {
  const catalogue = useQuery(catalogueEntriesQuery);
  return (
    <Page
      title="Catalogue"
      description="Every dataset on this service, and which of them your account can read."
    >
      <Loaded query={catalogue} what="the catalogue">
        {(rows) => <Catalogue rows={rows} />}
      </Loaded>
    </Page>
  );
}
