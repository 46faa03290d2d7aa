import { Plus, X } from 'lucide-react';
import { Button } from '../ui/button';
import { ComboboxField } from '../ui/combobox-field';
import { SelectField } from '../ui/select-field';
import type { SortRow } from './explorer-query';
import type { QueryFieldsProps } from './query-fields-props';
import styles from './query-form.module.css';

const DIRECTIONS = [
  { value: 'up', label: 'ascending' },
  { value: 'down', label: 'descending' },
] as const;

interface SortProps {
  row: SortRow;
  index: number;
  columns: readonly string[];
  error: string | undefined;
  onChange: (row: SortRow) => void;
  onRemove: () => void;
}

function Sort({ row, index, columns, error, onChange, onRemove }: SortProps) {
  const nameOfRow = `Sort ${index + 1}`;
  return (
    <fieldset className={styles.sort}>
      <legend className="visually-hidden">{nameOfRow}</legend>
      <ComboboxField
        label={`${nameOfRow} column`}
        isLabelHidden
        name={`sort-${index}-column`}
        placeholder="Column"
        value={row.column}
        options={columns.map((name) => ({ value: name, label: name }))}
        onValueChange={(column) => onChange({ ...row, column })}
        error={error}
      />
      <SelectField
        label="Direction"
        isLabelHidden
        name={`sort-${index}-direction`}
        value={row.isDescending ? 'down' : 'up'}
        options={DIRECTIONS}
        onValueChange={(direction) => onChange({ ...row, isDescending: direction === 'down' })}
      />
      <Button kind="quiet" aria-label={`Remove ${nameOfRow.toLowerCase()}`} onClick={onRemove}>
        <X size={16} aria-hidden />
      </Button>
    </fieldset>
  );
}

export function SortFields({ query, edit, shape, problems }: QueryFieldsProps) {
  const { sort } = query;
  const columns = shape.columns.map(({ name }) => name);
  const natural = shape.sort_columns.join(', ');
  return (
    <section className={styles.rows} aria-label="Sort">
      <h2 className={styles.title}>Sort</h2>
      {sort.length === 0 && natural !== '' && (
        <p className={styles.quiet}>Natural order: {natural}</p>
      )}
      {sort.map((row, index) => (
        <Sort
          key={index}
          row={row}
          index={index}
          columns={columns}
          error={index === sort.length - 1 ? problems.sort : undefined}
          onChange={(next) => edit({ sort: sort.with(index, next) })}
          onRemove={() => edit({ sort: sort.toSpliced(index, 1) })}
        />
      ))}
      <div>
        <Button onClick={() => edit({ sort: [...sort, { column: '', isDescending: false }] })}>
          <Plus size={16} aria-hidden />
          Add a column to sort by
        </Button>
      </div>
    </section>
  );
}
