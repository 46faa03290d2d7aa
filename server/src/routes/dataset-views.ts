/** Views of published datasets. */
import type { Column, Dataset } from '../catalog/dataset.ts';
import { datasetStatus } from '../lake/dataset-status.ts';
import type { PublicationStatus } from '../lake/lake.ts';
import type { DataServices } from '../query/reader.ts';
import { typeView, valuesView } from './query-form.ts';

type PublishedServices = Pick<DataServices, 'lake' | 'clock'>;

/** To whoever may see the catalogue. */
export function columnView(column: Column) {
  const { name, description } = column;
  return { name, ...typeView(column), description, ...valuesView(column) };
}

/** To those who may read it. */
export async function statusView({ lake, clock }: PublishedServices, dataset: Dataset) {
  const snapshot = await lake.snapshot(dataset.datasetId);
  const publication = await lake.publicationStatus(dataset.datasetId);
  const status = datasetStatus(dataset, snapshot, publication, clock.now());
  return {
    dataset_id: dataset.datasetId,
    status_code: status.code,
    last_update: status.lastUpdate,
    next_expected_update: status.nextExpectedUpdate,
    last_trade_date: snapshot?.lastDate ?? null,
    version: snapshot?.version ?? 0,
    row_count: snapshot?.rowCount ?? 0,
  };
}

/** Null before the first one. */
function ingestView({ state, startedAt, finishedAt, message }: PublicationStatus) {
  if (state === 'none' || startedAt === null) return null;
  return { state, started_at: startedAt, finished_at: finishedAt, message };
}

/** To those who see to it that it is published. */
export async function publicationView(services: PublishedServices, dataset: Dataset) {
  const { datasetId } = dataset;
  const snapshot = await services.lake.snapshot(datasetId);
  return {
    ...(await statusView(services, dataset)),
    dataset_name: dataset.name,
    data_group: dataset.dataGroup,
    first_trade_date: snapshot?.firstDate ?? null,
    stored_bytes: snapshot?.byteCount ?? 0,
    file_count: snapshot?.parts.length ?? 0,
    ingest: ingestView(await services.lake.publicationStatus(datasetId)),
  };
}
