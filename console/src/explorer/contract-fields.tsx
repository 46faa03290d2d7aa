import { ComboboxField } from '../ui/combobox-field';
import { optionsOf, SelectField } from '../ui/select-field';
import {
  chosenValue,
  contractColumns,
  expirationsOf,
  strikesOf,
  withChosen,
} from './contract-choice';
import type { QueryFieldsProps } from './filter-fields';
import styles from './query-form.module.css';
import { useOptionContracts } from './query-hooks';

const RIGHTS = [
  { value: '', label: 'Calls and puts' },
  { value: 'C', label: 'Calls' },
  { value: 'P', label: 'Puts' },
] as const;

export function ContractFields({ query, edit, shape }: Omit<QueryFieldsProps, 'problems'>) {
  const columns = contractColumns(shape);
  const ticker = query.identifier.trim();
  const isOne = columns !== null && ticker !== '' && !ticker.includes(',');
  const contracts = useOptionContracts(isOne ? ticker : '', query.date || query.from);
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
        options={optionsOf(expirationsOf(contracts), 'All expirations', '')}
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
        options={optionsOf(strikesOf(contracts, expiration, callPut), 'All strikes', '')}
        onValueChange={choose(columns.strike)}
      />
    </fieldset>
  );
}
