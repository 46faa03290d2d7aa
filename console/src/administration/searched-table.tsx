import { useState } from 'react';
import { countText, foundText, holdsAll } from '../format/texts';
import { Button } from '../ui/button';
import { SearchField } from '../ui/field';
import { Table, type TableColumn } from '../ui/table';
import { Toolbar, useSearchText } from '../ui/toolbar';

const PAGE_ROWS = 50;

interface SearchedTableProps<T> {
  /** Singular and plural of what a row is. */
  what: readonly [string, string];
  rows: readonly T[];
  columns: readonly TableColumn<T>[];
  rowKey: (row: T) => number;
  searchedText: (row: T) => string;
  search: string;
  onSearchChange: (search: string) => void;
  placeholder: string;
  nextStep?: string;
}

export function SearchedTable<T>(props: SearchedTableProps<T>) {
  const { what, rows, columns, rowKey, search } = props;
  const [one, many] = what;
  const [shownMax, setShownMax] = useState(PAGE_ROWS);
  const [text, setText] = useSearchText(search, props.onSearchChange);
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
