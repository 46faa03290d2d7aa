/** The dataset of rows that are restated on request: stored and identified as the raw rows, with adjusted columns. */
import type { Dataset } from '../catalog/dataset.ts';
import { FACTOR_COLUMNS } from './factor-events.ts';
import { isFactorColumn, ROW_KEYS } from './restate-batch.ts';

/** What an adjusted dataset is made of. */
export interface AdjustmentInputs {
  readonly raw: Dataset;
  readonly factors: Dataset;
}

/** Columns that an input lacks, or has as another type, as `DATASET COLUMN`. */
export function missingColumns(adjusted: Dataset, { raw, factors }: AdjustmentInputs): string[] {
  const isStored = ({ name, dataType }: Dataset['columns'][number]) =>
    isFactorColumn(name) || raw.columnByName.get(name)?.dataType === dataType;
  const unstored = adjusted.columns.filter((column) => !isStored(column)).map(({ name }) => name);
  const keys = Object.values(ROW_KEYS).filter((name) => !adjusted.columnByName.has(name));
  const ofFactors = FACTOR_COLUMNS.filter((name) => !factors.columnByName.has(name));
  return [
    ...[...unstored, ...keys].map((name) => `${raw.textId} ${name}`),
    ...ofFactors.map((name) => `${factors.textId} ${name}`),
  ];
}

/** Kept, so that what is known of the dataset stays known. */
const known = new WeakMap<Dataset, { readonly raw: Dataset; readonly restated: Dataset }>();

export function restatedDataset(adjusted: Dataset, raw: Dataset): Dataset {
  const before = known.get(adjusted);
  if (before?.raw === raw) return before.restated;
  const { columns, columnByName, variant, derivation } = adjusted;
  const restated = { ...raw, columns, columnByName, variant, derivation };
  known.set(adjusted, { raw, restated });
  return restated;
}
