import { useState } from 'react';
import { countText, foundText, holdsAll } from '../format/texts';
import { useKnownSearch } from '../layout/known-search';
import { Button } from '../ui/button';
import { SearchField } from '../ui/field';
import { Table, type TableColumn } from '../ui/table';
import { Toolbar, useSearchText } from '../ui/toolbar';
import { readSearchText } from './searches';

const PAGE_ROWS = 50;

interface SearchedTableProps<T> {
  /** Singular and plural of what a row is. */
  what: readonly [string, string];
  rows: readonly T[];
  columns: readonly TableColumn<T>[];
  rowKey: (row: T) => number;
  searchedText: (row: T) => string;
  placeholder: string;
  nextStep?: string;
}

/** Records and a search for some of them, which the address keeps. */
export function SearchedTable<T>(props: SearchedTableProps<T>) {
  const { what, rows, columns, rowKey } = props;
  const [one, many] = what;
  const [shownMax, setShownMax] = useState(PAGE_ROWS);
  const [{ q = '' }, setSearch] = useKnownSearch(readSearchText);
  const [text, setText] = useSearchText(q, (next) => setSearch(readSearchText({ q: next })));
  const found = rows.filter((row) => holdsAll(props.searchedText(row), text));
  const shown = found.slice(0, shownMax);
  return (
    <>
      <Toolbar label={`Search ${many}`}>
        <SearchField placeholder={props.placeholder} value={text} onValueChange={setText} />
      </Toolbar>
      <p role="status">{foundText(found.length, rows.length, one, many)}</p>
      <Table
        caption={`List of ${many}`}
        columns={columns}
        rows={shown}
        rowKey={rowKey}
        empty={rows.length === 0 ? `No ${many} yet. ${props.nextStep ?? ''}` : 'Nothing matches.'}
      />
      {shown.length < found.length && (
        <div>
          <Button onClick={() => setShownMax(shownMax + PAGE_ROWS)}>
            Show more ({countText(found.length - shown.length)} left)
          </Button>
        </div>
      )}
    </>
  );
}
