import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { CatalogueEntry } from '@ticklake/client';
import { catalogueEntriesQuery } from '../api/queries';
import { foundText } from '../format/amounts';
import { Button } from '../ui/button';
import { CheckboxField } from '../ui/checkbox-field';
import { SearchField } from '../ui/field';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { Toolbar } from '../ui/toolbar';
import { useSearchText } from '../ui/use-search-text';
import { type CatalogueSearch, matchingEntries } from './catalogue-search';
import { DatasetList } from './dataset-list';
import { groupsOf } from './found-datasets';

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
