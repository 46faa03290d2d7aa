import { useQuery } from '@tanstack/react-query';
import type { DatasetRow } from '@ticklake/client';
import { catalogueQuery, ownCatalogueQuery } from '../api/queries';
import { ComboboxField, MultiComboboxField } from '../ui/combobox-field';
import { DateField } from '../ui/date-field';
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

/** The asked dataset stays among the choices when it is closed to the account. */
function useOffered(datasets: readonly DatasetRow[], datasetId: string): readonly DatasetRow[] {
  const isOpen = datasetId === '' || datasets.some(({ dataset_id }) => dataset_id === datasetId);
  const { data: all = [] } = useQuery({ ...catalogueQuery, enabled: !isOpen });
  return isOpen
    ? datasets
    : [...all.filter(({ dataset_id }) => dataset_id === datasetId), ...datasets];
}

function DatasetField(props: {
  datasets: readonly DatasetRow[];
  query: ExplorerQuery;
  replaceQuery: (query: ExplorerQuery) => void;
}) {
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
export function DatasetChoice(props: {
  query: ExplorerQuery;
  replaceQuery: (query: ExplorerQuery) => void;
}) {
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

function VariantField({ query, edit, shape }: QueryFieldsProps) {
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
        // Each dataset has its own versions.
        onValueChange={(dataset) => edit({ dataset, version: '' })}
      />
    </div>
  );
}

function DateFields(props: QueryFieldsProps) {
  const { shape } = props;
  if (shape.path_parameters.includes('trade_date')) {
    return <DateField label="Trade date" {...fieldOf(props, 'date')} />;
  }
  const column = rangeColumn(shape);
  if (column === null) return null;
  return (
    <>
      <DateField
        label="From"
        {...fieldOf(props, 'from')}
        description={<UnseenHint text={`First ${column}, inclusive`} />}
      />
      <DateField
        label="To"
        {...fieldOf(props, 'to')}
        description={<UnseenHint text={`Last ${column}, inclusive`} />}
      />
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

export function MoreFields(props: QueryFieldsProps & { version: number | null }) {
  const { shape } = props;
  return (
    <>
      <p className={styles.access}>{accessText(shape)}</p>
      <div className={styles.fields}>
        <VariantField {...props} />
        <PeriodField {...props} />
        <VersionField {...props} />
      </div>
      <MultiComboboxField
        label="Columns"
        {...fieldOf(props, 'columns')}
        options={shape.columns.map(({ name }) => name)}
        placeholder={`All ${shape.columns.length} columns`}
        description="Shown in the order you choose them"
      />
      <div className={styles.lists}>
        <FilterFields {...props} />
        <SortFields {...props} />
      </div>
    </>
  );
}
