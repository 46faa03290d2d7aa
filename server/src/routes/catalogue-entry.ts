/** A dataset as people find it in the catalogue. */
import type { Dataset } from '../catalog/dataset.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';

/** What anybody who may see the catalogue may know of a dataset. */
export function catalogueEntry(dataset: Dataset, snapshot: DatasetSnapshot | null) {
  return {
    dataset_id: dataset.datasetId,
    dataset_name: dataset.name,
    data_group: dataset.dataGroup,
    vendor: snapshot?.vendor ?? '',
    dataset_text_id: dataset.textId,
    description: dataset.description,
    time_granularity: dataset.timeGranularity,
    column_names: dataset.columns.map(({ name }) => name),
  };
}

/** Which trade dates the published rows are of. */
export function coverageOf(snapshot: DatasetSnapshot | null) {
  return {
    first_trade_date: snapshot?.firstDate ?? null,
    last_trade_date: snapshot?.lastDate ?? null,
  };
}
