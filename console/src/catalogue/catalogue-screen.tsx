import type { CatalogueEntry } from '@ticklake/client';
import { ChevronRight } from 'lucide-react';
import { catalogueEntriesQuery } from '../api/queries';
import { coverageText, foundText, plural } from '../format/texts';
import { useKnownSearch } from '../layout/known-search';
import { Button } from '../ui/button';
import { CheckboxField } from '../ui/checkbox-field';
import { ChoiceGroup, optionsOf } from '../ui/choice-group';
import { DatasetLink } from '../ui/links';
import { Page, Query } from '../ui/page';
import { SearchField } from '../ui/search-field';
import { TwoLines } from '../ui/texts';
import { Toolbar, useSearchText } from '../ui/toolbar';
import { readCatalogueSearch } from './catalogue-search';
import styles from './dataset-list.module.css';
import { foundColumns, groupsOf, matchingEntries } from './dataset-search';
import { AccessBadge } from './status-badge';

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
        <DatasetLink id={entry.dataset_id} className={styles.link}>
          {entry.dataset_name}
        </DatasetLink>
        <code className={styles.quiet}>{entry.dataset_text_id}</code>
        {columns.length > 0 && (
          <span className={styles.columns}>Columns: {columns.join(', ')}</span>
        )}
      </div>
      <code>{entry.dataset_id}</code>
      <span>{entry.data_group}</span>
      <span className={styles.quiet}>{entry.time_granularity}</span>
      <span className={styles.coverage}>
        <Coverage entry={entry} />
      </span>
      <span>
        <AccessBadge isEntitled={entry.is_entitled} />
      </span>
      <ChevronRight size={16} aria-hidden className={styles.chevron} />
    </li>
  );
}

function DatasetList({ entries, text }: { entries: readonly CatalogueEntry[]; text: string }) {
  return (
    <ul className={styles.list} aria-label="Datasets">
      {entries.map((entry) => (
        <Item key={entry.dataset_id} entry={entry} text={text} />
      ))}
    </ul>
  );
}

function CatalogueFilter({ rows }: { rows: readonly CatalogueEntry[] }) {
  const [search, change, field] = useKnownSearch(readCatalogueSearch);
  const text = useSearchText(field('q'));
  const group = field('group');
  return (
    <Toolbar label="Filter the catalogue">
      <SearchField placeholder="Name, description or column" {...text} />
      <ChoiceGroup
        label="Group"
        value={group.value}
        choices={optionsOf(groupsOf(rows), 'All groups')}
        onValueChange={group.onValueChange}
      />
      <CheckboxField
        label="Only datasets I can read"
        name="mine"
        value={search.mine === true}
        onValueChange={(isMine) => change({ ...search, mine: isMine })}
      />
    </Toolbar>
  );
}

function Catalogue({ rows }: { rows: readonly CatalogueEntry[] }) {
  const [search, change] = useKnownSearch(readCatalogueSearch);
  const found = matchingEntries(rows, search);
  return (
    <>
      <CatalogueFilter rows={rows} />
      <p role="status">{foundText(found.length, rows.length, 'dataset')}</p>
      {found.length > 0 ? (
        <DatasetList entries={found} text={search.q ?? ''} />
      ) : (
        <Button onClick={() => change({})}>Show all datasets</Button>
      )}
    </>
  );
}

export default function CatalogueScreen() {
  return (
    <Page
      title="Catalogue"
      description="Every dataset on this service, and which of them your account can read."
    >
      <Query of={catalogueEntriesQuery} what="the catalogue">
        {(rows) => <Catalogue rows={rows} />}
      </Query>
    </Page>
  );
}
