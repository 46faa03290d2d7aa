import { Pin, PinOff, Plus, X } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { sentenceCase } from '../format/texts';
import { Button } from '../ui/button';
import { optionsOf } from '../ui/choice-group';
import { ComboboxField } from '../ui/combobox-field';
import { TextField } from '../ui/field';
import { SelectField } from '../ui/select-field';
import { SuggestField, type Suggestion } from '../ui/suggest-field';
import { type DatasetShape, filterableColumns, type ShapeColumn } from './dataset-shape';
import {
  type ExplorerQuery,
  type FilterOperator,
  type FilterRow,
  OPERATORS,
  type SortRow,
} from './explorer-query';
import type { TextName } from './explorer-search';
import styles from './query-form.module.css';
import type { FieldProblems } from './query-problems';

const BOOLEANS = ['true', 'false'];
const NEEDS_QUOTES = /[",]/;

/** Null: the values of the column are not known. */
export function knownValues(column: ShapeColumn | undefined): readonly string[] | null {
  if (column?.data_type === 'boolean') return BOOLEANS;
  return column?.values ?? null;
}

function quoted(value: string): string {
  return NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** A list takes those that it does not have yet, after its last comma. */
export function valueSuggestions(
  { operator, value }: FilterRow,
  known: readonly string[],
): readonly Suggestion[] {
  const isList = OPERATORS[operator].operand === 'list';
  const before = isList ? value.slice(0, value.lastIndexOf(',') + 1) : '';
  const term = value.slice(before.length).trim().toLowerCase();
  const taken = before.split(',');
  // A whole value may be exchanged for any other.
  const isWhole = known.some((each) => each.toLowerCase() === term);
  return known
    .filter((each) => !taken.includes(quoted(each)))
    .filter((each) => isWhole || each.toLowerCase().includes(term))
    .map((each) => ({ value: `${before}${isList ? quoted(each) : each}`, label: each, hint: '' }));
}

export interface QueryFieldsProps {
  query: ExplorerQuery;
  edit: (change: Partial<ExplorerQuery>) => void;
  shape: DatasetShape;
  problems: FieldProblems;
}

/** The attributes of the field of this name. */
export function fieldOf<Name extends TextName & keyof ExplorerQuery>(
  { query, edit, problems }: Pick<QueryFieldsProps, 'query' | 'edit' | 'problems'>,
  name: Name,
) {
  const onValueChange = (value: ExplorerQuery[Name]) => edit({ [name]: value });
  return { name, value: query[name], onValueChange, error: problems[name] };
}

/** For screen readers: below a field in the line of the query there is no room. */
export function UnseenHint({ text }: { text: string }) {
  return <span className="visually-hidden">{text}</span>;
}

const EXAMPLES: Readonly<Record<ShapeColumn['data_type'], string>> = {
  string: '',
  'array of string': '',
  integer: '100',
  number: '189.25',
  decimal: '189.25',
  boolean: 'true',
  'array of integer': '100',
  'array of number': '189.25',
  date: '2026-11-18',
  'date-time': '2026-11-18T09:30:00',
};

const OPERAND_HINTS: Readonly<Record<(typeof OPERATORS)[FilterOperator]['operand'], string>> = {
  none: '',
  value: '',
  list: 'Separate values with commas; put a value that contains a comma in double quotes',
  pattern: '* matches any characters',
};

interface ColumnRowProps {
  kind: 'filter' | 'sort';
  index: number;
  column: string;
  columns: ComponentProps<typeof ComboboxField>['options'];
  error: string | undefined;
  onColumn: (name: string) => void;
  onRemove: () => void;
  children: ReactNode;
}

/** A line that begins with a column and can be removed. */
function ColumnRow({ kind, index, column, columns, error, ...props }: ColumnRowProps) {
  const name = `${sentenceCase(kind)} ${index + 1}`;
  return (
    <fieldset className={styles[kind]}>
      <legend className="visually-hidden">{name}</legend>
      <ComboboxField
        label={`${name} column`}
        isLabelHidden
        name={`${kind}-${index}-column`}
        placeholder="Column"
        value={column}
        options={columns}
        onValueChange={props.onColumn}
        error={error}
      />
      {props.children}
      <Button
        icon={X}
        kind="quiet"
        aria-label={`Remove ${name.toLowerCase()}`}
        onClick={props.onRemove}
      />
    </fieldset>
  );
}

interface FilterProps {
  filter: FilterRow;
  index: number;
  columns: readonly ShapeColumn[];
  error: string | undefined;
  onChange: (filter: FilterRow) => void;
  onRemove: () => void;
}

function operatorsOf(column: ShapeColumn | undefined): readonly FilterOperator[] {
  const { operators = ['eq'], data_type: type } = column ?? {};
  return type === 'string' ? [...operators, 'empty'] : operators;
}

function Filter({ filter, index, columns, error, onChange, onRemove }: FilterProps) {
  const column = columns.find(({ name }) => name === filter.column);
  const chooseColumn = (name: string) => {
    const next = columns.find((candidate) => candidate.name === name);
    const isFit = operatorsOf(next).includes(filter.operator);
    onChange({ ...filter, column: name, operator: isFit ? filter.operator : 'eq' });
  };
  const isColumnMissing = filter.column === '';
  const { operand } = OPERATORS[filter.operator];
  const known = operand === 'pattern' ? null : knownValues(column);
  const value = {
    label: 'Value',
    name: `filter-${index}-value`,
    placeholder: known ? known.slice(0, 2).join(', ') : column ? EXAMPLES[column.data_type] : '',
    value: filter.value,
    onValueChange: (text: string) => onChange({ ...filter, value: text }),
    description: OPERAND_HINTS[operand],
    error: isColumnMissing ? undefined : error,
  };
  const options = columns.map(({ name, data_type: hint }) => ({ value: name, label: name, hint }));
  return (
    <ColumnRow
      {...{ kind: 'filter', index, column: filter.column, columns: options, onRemove }}
      onColumn={chooseColumn}
      error={isColumnMissing ? error : undefined}
    >
      <SelectField
        label="Operator"
        isLabelHidden
        name={`filter-${index}-operator`}
        value={filter.operator}
        options={operatorsOf(column).map((operator) => ({
          value: operator,
          label: OPERATORS[operator].label,
        }))}
        onValueChange={(operator) => onChange({ ...filter, operator })}
      />
      {operand !== 'none' &&
        (known === null ? (
          <TextField {...value} isLabelHidden />
        ) : (
          <SuggestField {...value} suggestions={valueSuggestions(filter, known)} isChoice />
        ))}
    </ColumnRow>
  );
}

export function FilterFields({ query, edit, shape, problems }: QueryFieldsProps) {
  const { filters } = query;
  const columns = filterableColumns(shape, query.identifier);
  const add: FilterRow = { column: '', operator: 'eq', value: '' };
  return (
    <section className={styles.rows} aria-label="Filters">
      <h2 className={styles.title}>Filters</h2>
      {filters.map((filter, index) => (
        <Filter
          key={index}
          {...{ filter, index, columns }}
          error={problems[`filter-${index}`]}
          onChange={(next) => edit({ filters: filters.with(index, next) })}
          onRemove={() => edit({ filters: filters.toSpliced(index, 1) })}
        />
      ))}
      <div>
        <Button icon={Plus} onClick={() => edit({ filters: [...filters, add] })}>
          Add filter
        </Button>
      </div>
    </section>
  );
}

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
  return (
    <ColumnRow
      {...{ kind: 'sort', index, column: row.column, columns: optionsOf(columns), error, onRemove }}
      onColumn={(column) => onChange({ ...row, column })}
    >
      <SelectField
        label="Direction"
        isLabelHidden
        name={`sort-${index}-direction`}
        value={row.isDescending ? 'down' : 'up'}
        options={DIRECTIONS}
        onValueChange={(direction) => onChange({ ...row, isDescending: direction === 'down' })}
      />
    </ColumnRow>
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
          {...{ row, index, columns }}
          error={index === sort.length - 1 ? problems.sort : undefined}
          onChange={(next) => edit({ sort: sort.with(index, next) })}
          onRemove={() => edit({ sort: sort.toSpliced(index, 1) })}
        />
      ))}
      <div>
        <Button
          icon={Plus}
          onClick={() => edit({ sort: [...sort, { column: '', isDescending: false }] })}
        >
          Add sort column
        </Button>
      </div>
    </section>
  );
}

type VersionFieldProps = Omit<QueryFieldsProps, 'shape'> & {
  /** The version that the query would read now; null while it is not known. */
  version: number | null;
};

export function VersionField({ version, ...props }: VersionFieldProps) {
  const { query, edit } = props;
  const isPinned = query.version !== '';
  return (
    <TextField
      label="Version"
      {...fieldOf(props, 'version')}
      inputMode="numeric"
      placeholder={version === null ? '' : String(version)}
      onValueChange={(text) => edit({ version: text.trim() })}
      description={
        isPinned
          ? 'Stays the same when new data is published'
          : 'Leave empty for the current version'
      }
      trailing={
        <Button
          icon={isPinned ? PinOff : Pin}
          disabled={!isPinned && !version}
          onClick={() => edit({ version: isPinned ? '' : String(version) })}
        >
          {isPinned ? 'Unpin' : 'Pin'}
        </Button>
      }
    />
  );
}
