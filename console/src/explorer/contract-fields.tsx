import { ComboboxField } from '../ui/combobox-field';
import { optionsOf, SelectField } from '../ui/select-field';
import type { DatasetShape } from './dataset-shape';
import type { FilterRow } from './explorer-query';
import type { QueryFieldsProps } from './filter-fields';
import styles from './query-form.module.css';
import { type OptionContract, useOptionContracts } from './query-hooks';
import { LATEST } from './query-problems';

interface ContractColumns {
  readonly expiration: string;
  readonly callPut: string;
  readonly strike: string;
}

const EXPIRATIONS = ['ExpirationDate', 'Expiration'];

/** Null where rows are not of contracts of options that an identifier names. */
export function contractColumns(props: DatasetShape): ContractColumns | null {
  const { columns, sort_columns: order } = props;
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

const RIGHTS = [
  { value: '', label: 'Calls and puts' },
  { value: 'C', label: 'Calls' },
  { value: 'P', label: 'Puts' },
] as const;

export function ContractFields({ query, edit, shape }: Omit<QueryFieldsProps, 'problems'>) {
  const columns = contractColumns(shape);
  const ticker = query.identifier.trim();
  const isOne = columns !== null && ticker !== '' && !ticker.includes(',');
  const day = query.date === LATEST ? '' : query.date || query.from;
  const contracts = useOptionContracts(isOne ? ticker : '', day);
  if (columns === null || contracts === null || contracts.length === 0) return null;
  const { filters } = query;
  const choose = (column: string) => (value: string) =>
    edit({ filters: withChosen(filters, column, value) });
  const [expiration, callPut, strike] = [columns.expiration, columns.callPut, columns.strike].map(
    (column) => chosenValue(filters, column),
  ) as [string, string, string];
  return (
    <fieldset className={`${styles.wholeLine} ${styles.contract}`}>
      <legend className="visually-hidden">Option contract</legend>
      <ComboboxField
        label="Expiration"
        name="expiration"
        value={expiration}
        options={optionsOf(expirationsOf(contracts), 'All expirations')}
        onValueChange={choose(columns.expiration)}
      />
      <SelectField
        label="Call or put"
        name="right"
        value={RIGHTS.find(({ value }) => value === callPut)?.value ?? ''}
        options={RIGHTS}
        onValueChange={choose(columns.callPut)}
      />
      <ComboboxField
        label="Strike"
        name="strike"
        value={strike}
        options={optionsOf(strikesOf(contracts, expiration, callPut), 'All strikes')}
        onValueChange={choose(columns.strike)}
      />
    </fieldset>
  );
}
