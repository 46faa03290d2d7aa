/** The versions of a dataset, and what each of them changed. */
import { optional, required } from '../admin/field.ts';
import { ID, PARTITION, pageLimit } from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { readableBy } from '../query/readable-by.ts';
import type { VersionRecord } from '../store/lake-index.ts';
import { type DataExchange, type KeyedEndpoint, keyedEndpoint } from './endpoint.ts';
import { readPath, readQuery } from './query-fields.ts';
import { requestedDataset, requireRules } from './requested-dataset.ts';
import { DATASET_VERSION_DETAIL, DATASET_VERSION_PAGE } from './version-answers.ts';
import { partitionView, versionView } from './version-views.ts';

const PAGE_ROWS = 100;
const PAGE_ROWS_MAX = 1000;
const PARTITIONS = 1000;
const PARTITIONS_MAX = 10_000;

const LIST_FIELDS = {
  before: optional(ID, 'Show versions before this one; the previous page gives it'),
  limit: optional(pageLimit(PAGE_ROWS_MAX), `Maximum number of versions; default: ${PAGE_ROWS}`),
};
const DETAIL_FIELDS = {
  after: optional(PARTITION, 'Show partitions after this one; the previous page gives it'),
  limit: optional(
    pageLimit(PARTITIONS_MAX),
    `Maximum number of partitions; default: ${PARTITIONS}`,
  ),
};
const VERSION_PATH = { version: required(ID, 'Version of the dataset') };

async function subjectOf(
  { services: { lake } }: DataExchange,
  record: VersionRecord,
  currentVersion: number,
) {
  const publication = await lake.ledger.publication(record.publicationId);
  if (!publication) throw new Error(`publication ${record.publicationId} is not in the ledger`);
  return { record, publication, currentVersion };
}

async function currentVersionOf({ services }: DataExchange, { datasetId }: Dataset) {
  return (await services.lake.snapshot(datasetId))?.version ?? 0;
}

async function listVersions(exchange: DataExchange) {
  const dataset = requestedDataset(exchange);
  const rules = requireRules(exchange, dataset);
  const { before, limit = PAGE_ROWS } = readQuery(exchange, LIST_FIELDS);
  const readable = await readableBy(exchange.services, dataset, rules);
  const currentVersion = await currentVersionOf(exchange, dataset);
  const query = { before, limit: limit + 1 };
  const records = await exchange.services.lake.versions.records(dataset.datasetId, query);
  const shown = await Promise.all(
    records.slice(0, limit).map((record) => subjectOf(exchange, record, currentVersion)),
  );
  const nextBefore = records.length > limit ? (shown.at(-1)?.record.version ?? null) : null;
  return {
    data: shown.map((subject) => versionView(subject, readable)),
    pagination: { before: before ?? null, limit, next_before: nextBefore },
  };
}

async function showVersion(exchange: DataExchange) {
  const { lake } = exchange.services;
  const dataset = requestedDataset(exchange);
  const rules = requireRules(exchange, dataset);
  const { version } = readPath(exchange, VERSION_PATH);
  const { after, limit = PARTITIONS } = readQuery(exchange, DETAIL_FIELDS);
  const readable = await readableBy(exchange.services, dataset, rules);
  const record = await lake.versions.record(dataset.datasetId, version);
  if (!record) {
    throw new ApiError('not found', `Dataset version ${version} has never been published`);
  }
  const subject = await subjectOf(exchange, record, await currentVersionOf(exchange, dataset));
  const changes = await lake.ledger.partChanges(record.publicationId, dataset.datasetId);
  const left = changes.filter(({ key }) => readable.isVisible(key) && key > (after ?? ''));
  const shown = left.slice(0, limit);
  return {
    dataset_id: dataset.datasetId,
    ...versionView(subject, readable),
    partitions: shown.map((change) => partitionView(change, readable)),
    pagination: {
      after: after ?? null,
      limit,
      next_after: left.length > limit ? (shown.at(-1)?.key ?? null) : null,
    },
  };
}

export const VERSION_ENDPOINTS: readonly KeyedEndpoint[] = [
  keyedEndpoint({
    method: 'GET',
    path: '/meta/datasets/:dataset_id/versions',
    operationId: 'listDatasetVersions',
    summary: 'The versions of a dataset, the newest first',
    answer: DATASET_VERSION_PAGE,
    errorStatuses: [403, 404],
    isPublic: false,
    isTagged: true,
    takesQuery: true,
    query: LIST_FIELDS,
    handle: listVersions,
  }),
  keyedEndpoint({
    method: 'GET',
    path: '/meta/datasets/:dataset_id/versions/:version',
    operationId: 'showDatasetVersion',
    summary: 'What a version of a dataset changed',
    answer: DATASET_VERSION_DETAIL,
    errorStatuses: [403, 404],
    isPublic: false,
    isTagged: true,
    takesQuery: true,
    query: DETAIL_FIELDS,
    handle: showVersion,
  }),
];
