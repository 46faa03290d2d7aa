import { useQuery } from '@tanstack/react-query';
import type { DatasetRow } from '@ticklake/client';
import { ArrowUpDown, Columns3, ListFilter, Settings2 } from 'lucide-react';
import { catalogueQuery, ownCatalogueQuery } from '../api/queries';
import { Button } from '../ui/button';
import { optionsOf } from '../ui/choice-group';
import { ComboboxField, MultiComboboxField } from '../ui/combobox-field';
import { TextField } from '../ui/field';
import { Notice, Query } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { accessText, hasPeriod, rangeColumn, variantLabel } from './dataset-shape';
import { type ExplorerQuery, withDataset } from './explorer-query';
import {
  FilterFields,
  fieldOf,
  type QueryFieldsProps,
  SortFields,
  UnseenHint,
  VersionField,
} from './filter-fields';
import { IdentifierField } from './identifier-field';
import styles from './query-form.module.css';
import { choicesSet, type PanelName } from './query-problems';
import { TradingDateField } from './trading-date-field';
import { chooseVariant, type ExplorerQueryState } from './use-explorer-query';

/** The asked dataset stays among the choices when it is closed to the account. */
function useOffered(datasets: readonly DatasetRow[], datasetId: string): readonly DatasetRow[] {
  const isOpen = datasetId === '' || datasets.some(({ dataset_id }) => dataset_id === datasetId);
  const { data: all = [] } = useQuery({ ...catalogueQuery, enabled: !isOpen });
  return isOpen
    ? datasets
    : [...all.filter(({ dataset_id }) => dataset_id === datasetId), ...datasets];
}

type DatasetChoiceProps = Pick<ExplorerQueryState, 'query' | 'replaceQuery'>;

function DatasetField(props: DatasetChoiceProps & { datasets: readonly DatasetRow[] }) {
  const { datasets, query } = props;
  const options = useOffered(datasets, query.dataset).map((dataset) => ({
    value: dataset.dataset_id,
    label: dataset.dataset_name,
    hint: `${dataset.dataset_id} · ${dataset.dataset_text_id ?? dataset.data_group}`,
  }));
  return (
    <ComboboxField
      label="Dataset"
      name="dataset"
      placeholder="Type part of its name"
      value={query.dataset}
      options={options}
      onValueChange={(dataset) => {
        if (dataset !== query.dataset) props.replaceQuery(withDataset(query, dataset));
      }}
      empty="No matching dataset that you can read"
    />
  );
}

/** The dataset by itself, as all other fields depend on it. */
export function DatasetChoice(props: DatasetChoiceProps) {
  return (
    <Query of={ownCatalogueQuery} what="datasets">
      {(rows) =>
        rows.length === 0 && props.query.dataset === '' ? (
          <Notice kind="info" title="No dataset to explore">
            No rule gives your account access to a dataset yet.
          </Notice>
        ) : (
          <DatasetField datasets={rows} {...props} />
        )
      }
    </Query>
  );
}

function VariantField(props: QueryFieldsProps) {
  const { query, shape } = props;
  if (shape.variants.length < 2) return null;
  return (
    <div className={styles.wide}>
      <SelectField
        label="Variant"
        name="variant"
        value={query.dataset}
        options={shape.variants.map((variant) => ({
          value: variant.dataset_id,
          label: variantLabel(variant),
        }))}
        onValueChange={(dataset) => chooseVariant(props, dataset)}
      />
    </div>
  );
}

const RANGE_ENDS = [
  { name: 'from', label: 'From', which: 'First' },
  { name: 'to', label: 'To', which: 'Last' },
] as const;

function DateFields(props: QueryFieldsProps) {
  const { shape } = props;
  const datasetId = shape.dataset_id;
  if (shape.path_parameters.includes('trade_date')) {
    return (
      <TradingDateField
        label="Trade date"
        {...{ datasetId, ...fieldOf(props, 'date') }}
        hasLatest
      />
    );
  }
  const column = rangeColumn(shape);
  if (column === null) return null;
  return (
    <>
      {RANGE_ENDS.map(({ name, label, which }) => (
        <TradingDateField
          key={name}
          {...{ datasetId, label, ...fieldOf(props, name) }}
          description={<UnseenHint text={`${which} ${column}, inclusive`} />}
        />
      ))}
    </>
  );
}

function PeriodField(props: QueryFieldsProps) {
  if (!hasPeriod(props.shape)) return null;
  const { default_period: ifEmpty } = props.shape;
  return (
    <TextField
      label="Period"
      {...fieldOf(props, 'period')}
      placeholder={ifEmpty ?? ''}
      description={`Longest range of dates, such as 6W${ifEmpty === null ? '' : `. Empty means all of the dates, or ${ifEmpty} if you give none.`}`}
    />
  );
}

/** Fields of the first line, beside the dataset. */
export function LineFields(props: QueryFieldsProps) {
  return (
    <>
      <div className={styles.identifier}>
        <IdentifierField {...props} />
      </div>
      <DateFields {...props} />
    </>
  );
}

type PanelProps = QueryFieldsProps & { version: number | null };

function MoreFields(props: PanelProps) {
  return (
    <>
      <p className={styles.access}>{accessText(props.shape)}</p>
      <div className={styles.fields}>
        <VariantField {...props} />
        <PeriodField {...props} />
        <VersionField {...props} />
      </div>
    </>
  );
}

function ColumnsField(props: PanelProps) {
  const { columns } = props.shape;
  return (
    <MultiComboboxField
      label="Columns"
      {...fieldOf(props, 'columns')}
      options={optionsOf(columns.map(({ name }) => name))}
      placeholder={`All ${columns.length} columns`}
      description="Shown in the order you choose them"
    />
  );
}

const PANELS = [
  { name: 'filters', label: 'Filters', icon: ListFilter, Fields: FilterFields },
  { name: 'columns', label: 'Columns', icon: Columns3, Fields: ColumnsField },
  { name: 'sort', label: 'Sort', icon: ArrowUpDown, Fields: SortFields },
  { name: 'more', label: 'More', icon: Settings2, Fields: MoreFields },
] as const;

export type OpenPanels = ReadonlySet<PanelName>;

/** Opens and closes the fields that are not in the line, and tells how many are set. */
export function PanelButtons(props: {
  query: ExplorerQuery;
  open: OpenPanels;
  onOpenChange: (open: OpenPanels) => void;
}) {
  const { query, open, onOpenChange } = props;
  const counts = choicesSet(query);
  return PANELS.map(({ name, label, icon }) => (
    <Button
      key={name}
      kind="quiet"
      icon={icon}
      aria-expanded={open.has(name)}
      onClick={() => onOpenChange(open.symmetricDifference(new Set([name])))}
    >
      {counts[name] === 0 ? label : `${label}: ${counts[name]}`}
    </Button>
  ));
}

export function Panels({ open, ...fields }: PanelProps & { open: OpenPanels }) {
  if (open.size === 0) return null;
  return (
    <div className={styles.more}>
      {PANELS.map(({ name, Fields }) => open.has(name) && <Fields key={name} {...fields} />)}
    </div>
  );
}
