import { optionsOf } from '../ui/choice-group';
import { ComboboxField } from '../ui/combobox-field';
import { SelectField } from '../ui/select-field';
import type { DatasetShape } from './dataset-shape';
import type { FilterRow } from './explorer-query';
import type { QueryFieldsProps } from './filter-fields';
import styles from './query-form.module.css';
import { type OptionContract, useOptionContracts } from './query-hooks';
import { LATEST } from './query-problems';

const EXPIRATIONS = ['ExpirationDate', 'Expiration'];

/** Columns of expiration, right and strike; null where rows are not of an identifier's options. */
export function contractColumns({ columns, sort_columns: order }: DatasetShape) {
  const has = (wanted: string) => columns.some(({ name }) => name === wanted);
  const expiration = EXPIRATIONS.find(has);
  const isAsked = has('CallPut') && has('Strike') && order.includes('Ticker');
  return expiration && isAsked ? ([expiration, 'CallPut', 'Strike'] as const) : null;
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
  const [expiration, callPut, strike] = columns;
  const chosen = (column: string) => chosenValue(filters, column);
  return (
    <fieldset className={`${styles.wholeLine} ${styles.contract}`}>
      <legend className="visually-hidden">Option contract</legend>
      <ComboboxField
        label="Expiration"
        name="expiration"
        value={chosen(expiration)}
        options={optionsOf(expirationsOf(contracts), 'All expirations')}
        onValueChange={choose(expiration)}
      />
      <SelectField
        label="Call or put"
        name="right"
        value={RIGHTS.find(({ value }) => value === chosen(callPut))?.value ?? ''}
        options={RIGHTS}
        onValueChange={choose(callPut)}
      />
      <ComboboxField
        label="Strike"
        name="strike"
        value={chosen(strike)}
        options={optionsOf(
          strikesOf(contracts, chosen(expiration), chosen(callPut)),
          'All strikes',
        )}
        onValueChange={choose(strike)}
      />
    </fieldset>
  );
}
