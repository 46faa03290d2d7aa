import type { UseQueryOptions } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { foundText } from '../format/texts';
import { type Search, useKnownSearch, useTableView } from '../layout/known-search';
import { ChoiceGroup, optionsOf } from './choice-group';
import { Query } from './page';
import { SearchField } from './search-field';
import { Table } from './table';
import { Toolbar, useSearchText } from './toolbar';

/** The rows of one kind among several, which a field beside the search chooses. */
interface Choice<T> {
  readonly label: string;
  readonly allLabel: string;
  readonly names: readonly string[];
  readonly nameOf: (row: T) => string;
}

interface Narrowing<T> {
  isFound: (row: T, text: string) => boolean;
  choice?: Choice<T>;
}

export function narrowed<T>(
  rows: readonly T[],
  { isFound, choice }: Narrowing<T>,
  text: string,
  chosen = '',
): readonly T[] {
  const chosenRows = rows.filter((row) => chosen === '' || choice?.nameOf(row) === chosen);
  return chosenRows.filter((row) => isFound(row, text));
}

interface SearchedRowsProps<T>
  extends Narrowing<T>,
    Pick<ComponentProps<typeof Table<T>>, 'columns' | 'rowKey' | 'isDense'> {
  caption: string;
  /** Singular and plural of what a row is. */
  what: readonly [one: string, many: string];
  rows: readonly T[];
  placeholder: string;
  /** Said where there are no rows at all. */
  empty: string;
  summary?: (found: readonly T[]) => ReactNode;
  /** Fewer rows are found by looking. */
  searchedFrom?: number;
}

/** Records and a search for some of them, which the address keeps. */
export function SearchedRows<T>(props: SearchedRowsProps<T>) {
  const { what, rows, choice, summary } = props;
  const isSearched = rows.length >= (props.searchedFrom ?? 0);
  const [one, many] = what;
  const [chosen, setChosen] = useState('');
  const [, , field] = useKnownSearch((known: Search) => known);
  const text = useSearchText(field('q'));
  const found = narrowed(rows, props, isSearched ? text.value : '', chosen);
  return (
    <>
      {isSearched && (
        <Toolbar label={`Search ${many}`}>
          <SearchField placeholder={props.placeholder} {...text} />
          {choice && (
            <ChoiceGroup
              label={choice.label}
              value={chosen}
              choices={optionsOf(choice.names, choice.allLabel)}
              onValueChange={setChosen}
            />
          )}
        </Toolbar>
      )}
      <Table
        caption={props.caption}
        summary={
          // Such figures change by themselves, which should interrupt nobody.
          (summary && <p>{summary(found)}</p>) ||
          (isSearched && <p role="status">{foundText(found.length, rows.length, one, many)}</p>)
        }
        columns={props.columns}
        rows={found}
        kept={useTableView()}
        rowKey={props.rowKey}
        isDense={props.isDense ?? false}
        empty={rows.length === 0 ? props.empty : `No ${many} match.`}
      />
    </>
  );
}

interface SearchedTableProps<T> extends Omit<SearchedRowsProps<T>, 'rows'> {
  of: UseQueryOptions<readonly T[]>;
}

/** The records that a query loads. */
export function SearchedTable<T>({ of, ...shown }: SearchedTableProps<T>) {
  return (
    <Query of={of} what={shown.what[1]}>
      {(rows) => <SearchedRows {...shown} rows={rows} />}
    </Query>
  );
}
