import type { DatasetShape } from './dataset-shape';
import type { FilterRow } from './explorer-query';

export interface OptionContract {
  readonly expiration: string;
  readonly callPut: string;
  readonly strike: number;
}

interface ContractColumns {
  readonly expiration: string;
  readonly callPut: string;
  readonly strike: string;
}

const EXPIRATIONS = ['ExpirationDate', 'Expiration'];

/** Null where rows are not of contracts of options that an identifier names. */
export function contractColumns({
  columns,
  sort_columns: order,
}: DatasetShape): ContractColumns | null {
  const has = (wanted: string) => columns.some(({ name }) => name === wanted);
  const expiration = EXPIRATIONS.find(has);
  const isAsked = has('CallPut') && has('Strike') && order.includes('Ticker');
  return expiration !== undefined && isAsked
    ? { expiration, callPut: 'CallPut', strike: 'Strike' }
    : null;
}

/** '' where the column is not filtered to one value. */
export function chosenValue(filters: readonly FilterRow[], column: string): string {
  const row = filters.find((each) => each.column === column && each.operator === 'eq');
  return row?.value ?? '';
}

/** The filters with the column held to a value; '': to none. */
export function withChosen(
  filters: readonly FilterRow[],
  column: string,
  value: string,
): readonly FilterRow[] {
  const at = filters.findIndex((each) => each.column === column && each.operator === 'eq');
  const own: FilterRow[] = value === '' ? [] : [{ column, operator: 'eq', value }];
  return at === -1 ? [...filters, ...own] : filters.toSpliced(at, 1, ...own);
}

export function expirationsOf(contracts: readonly OptionContract[]): readonly string[] {
  return [...new Set(contracts.map(({ expiration }) => expiration))].toSorted();
}

export function strikesOf(
  contracts: readonly OptionContract[],
  expiration: string,
  callPut: string,
): readonly string[] {
  const fit = contracts.filter(
    (each) =>
      (expiration === '' || each.expiration === expiration) &&
      (callPut === '' || each.callPut === callPut),
  );
  const strikes = [...new Set(fit.map(({ strike }) => strike))].toSorted((a, b) => a - b);
  return strikes.map(String);
}
