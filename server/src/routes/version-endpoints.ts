/** The versions of a dataset, and what each of them changed. */

import { optional, required } from '../admin/field.ts';
import { COUNT, ID, PARTITION, pageLimit } from '../admin/field-kinds.ts';
import { viewOf } from '../admin/views.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ReadablePartitions } from '../plan/partitions.ts';
import { readableBy, requireOwnRules } from '../query/coverage.ts';
import { asOfNow, type DataServices, inTurn } from '../query/reader.ts';
import { currentVersion } from '../query/shared-tables.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { VersionRecord } from '../store/lake-index.ts';
import type { EndedPublication, PartChange, PublicationRecord } from '../store/publications.ts';
import { isAdministrator } from './admit.ts';
import {
  DATASET_VERSION,
  DATASET_VERSION_DETAIL,
  DATASET_VERSION_PAGE,
  PUBLICATION_EVENT,
  PUBLICATION_FEED,
} from './data-answers.ts';
import { type DataExchange, type KeyedEndpoint, keyedEndpoint } from './endpoint.ts';
import { readPath, readQuery, requestedDataset } from './request-fields.ts';

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

async function listVersions(exchange: DataExchange) {
  const dataset = requestedDataset(exchange);
  const rules = requireOwnRules(exchange, dataset);
  const { before, limit = PAGE_ROWS } = readQuery(exchange, LIST_FIELDS);
  const readable = await readableBy(exchange.services, dataset, rules);
  const current = await currentVersion(exchange.services.lake, dataset);
  const query = { before, limit: limit + 1 };
  const records = await exchange.services.lake.versions.records(dataset.datasetId, query);
  const shown = await Promise.all(
    records.slice(0, limit).map((record) => subjectOf(exchange, record, current)),
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
  const rules = requireOwnRules(exchange, dataset);
  const { version } = readPath(exchange, VERSION_PATH);
  const { after, limit = PARTITIONS } = readQuery(exchange, DETAIL_FIELDS);
  const readable = await readableBy(exchange.services, dataset, rules);
  const record = await lake.versions.record(dataset.datasetId, version);
  if (!record) {
    throw new ApiError('not found', `Dataset version ${version} has never been published`);
  }
  const subject = await subjectOf(exchange, record, await currentVersion(lake, dataset));
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

/** More partitions of a publication than anybody reads; `…/versions/{version}` has them all. */
const PARTITIONS_TOLD_MAX = 100;

export interface VersionSubject {
  readonly record: VersionRecord;
  /** The publication that made it. */
  readonly publication: PublicationRecord;
  readonly currentVersion: number;
}

/** Sums of a version are for those who may read all of it. */
export function versionView(
  { record, publication, currentVersion }: VersionSubject,
  { holdsAll }: ReadablePartitions,
) {
  const isWhole = holdsAll(record.firstDate, record.lastDate);
  return viewOf(DATASET_VERSION, {
    ...{ ...publication, ...record },
    isCurrent: record.version === currentVersion,
    isAvailable: record.isRetained,
    rowCount: isWhole ? record.rowCount : null,
    storedBytes: isWhole ? record.byteCount : null,
    contentDigest: isWhole ? record.contentDigest : null,
  });
}

/** Rows are counted for those who may read all of the partition. */
export function partitionView(
  { key, change, before, after }: PartChange,
  { isWhole }: ReadablePartitions,
) {
  const told = (amount: number | undefined) => (isWhole(key) ? (amount ?? 0) : null);
  return {
    partition: key,
    change,
    rows_before: told(before?.rowCount),
    rows_after: told(after?.rowCount),
    stored_bytes_before: told(before?.byteCount),
    stored_bytes_after: told(after?.byteCount),
  };
}

/** One dataset of a publication, with the partitions that the asker may know of. */
export interface EventDataset {
  readonly datasetId: string;
  /** Null: the catalogue no longer has it. */
  readonly dataset: Dataset | null;
  readonly version: number | null;
  readonly partitions: readonly string[];
}

/** The operator's message is for administrators. */
export function eventView(
  record: EndedPublication,
  datasets: readonly EventDataset[],
  isForAdministrator: boolean,
) {
  return viewOf(PUBLICATION_EVENT, {
    ...record,
    message: isForAdministrator ? record.message : null,
    datasets: datasets.map(({ datasetId, dataset, version, partitions }) => ({
      dataset_id: datasetId,
      dataset_name: dataset?.name ?? null,
      version,
      partition_count: partitions.length,
      partitions: partitions.slice(0, PARTITIONS_TOLD_MAX),
    })),
  });
}

/** Publications that one request looks at: most may concern somebody else. */
const EXAMINED_MAX = 1000;

const FEED_FIELDS = {
  after: optional(COUNT, 'Show publications that ended after this one; default: from the first'),
  limit: optional(
    pageLimit(PAGE_ROWS_MAX),
    `Maximum number of publications; default: ${PAGE_ROWS}`,
  ),
};

/** The visible partitions of each dataset for a reader; null: all of them. */
type ReadableOf = (datasetId: string) => Promise<Pick<ReadablePartitions, 'isVisible'>> | null;

/** By the rules of the account; asked for once, however many publications concern the dataset. */
function readableTo(exchange: DataExchange, rules: readonly AccessRule[]): ReadableOf {
  const readable = new Map<string, Promise<ReadablePartitions>>();
  return (id) =>
    readable.getOrInsertComputed(id, () => {
      const dataset = exchange.services.catalog.byId(id) as Dataset;
      const ofDataset = rules.filter(({ datasetId }) => datasetId === id);
      return readableBy(exchange.services, dataset, ofDataset);
    });
}

/** The datasets, and partitions of each, that the reader may know of in a publication. */
async function concerned(
  { catalog, lake }: DataServices,
  { publicationId, datasets }: EndedPublication,
  readableOf: ReadableOf,
): Promise<EventDataset[]> {
  const found: EventDataset[] = [];
  for (const { datasetId, version } of datasets) {
    const changed = await lake.ledger.changedKeys(publicationId, datasetId);
    const readable = await readableOf(datasetId);
    const partitions = readable ? changed.filter((key) => readable.isVisible(key)) : changed;
    if (readable && partitions.length === 0 && changed.length > 0) continue;
    found.push({ datasetId, dataset: catalog.byId(datasetId) ?? null, version, partitions });
  }
  return found;
}

/** The caller and the rules are those of the turn, which may have been waited for. */
async function readFeed(exchange: DataExchange, signal: AbortSignal | null) {
  const { after = 0, limit = PAGE_ROWS } = readQuery(exchange, FEED_FIELDS);
  const { services, caller } = await asOfNow(exchange);
  const isForAdministrator = isAdministrator(caller);
  const rules = caller.account ? services.store.replica.rulesOf(caller.account.accountId) : [];
  const offered = rules
    .map(({ datasetId }) => datasetId)
    .filter((datasetId) => services.catalog.byId(datasetId));
  const page = await services.lake.ledger.endedAfter({
    ...{ after, limit, examinedMax: EXAMINED_MAX, publishedOnly: !isForAdministrator },
    datasetIds: isForAdministrator ? undefined : [...new Set(offered)],
  });
  if (!page) throw new ApiError('not found', `No publication ${after} has ended`);
  const readableOf = isForAdministrator ? () => null : readableTo(exchange, rules);
  const data: ReturnType<typeof eventView>[] = [];
  for (const publication of page.publications) {
    signal?.throwIfAborted();
    const datasets = await concerned(services, publication, readableOf);
    if (datasets.length === 0) continue;
    data.push(eventView(publication, datasets, isForAdministrator));
  }
  const pagination = { after, limit, next_after: page.lastId, has_more: page.hasMore };
  return { data, pagination };
}

/** Waits for the account's turn, as a page of rows does; owners without an account have none. */
async function showFeed(exchange: DataExchange) {
  const { account } = exchange.caller;
  if (!account) return await readFeed(exchange, null);
  return await inTurn(exchange, account.accountId, (signal) => readFeed(exchange, signal));
}

export const VERSION_ENDPOINTS: readonly KeyedEndpoint[] = [
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/versions',
    operationId: 'listDatasetVersions',
    summary: 'The versions of a dataset, the newest first',
    answer: DATASET_VERSION_PAGE,
    errorStatuses: [403],
    isTagged: true,
    query: LIST_FIELDS,
    handle: listVersions,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/versions/:version',
    operationId: 'showDatasetVersion',
    summary: 'The changes that a version of a dataset made',
    answer: DATASET_VERSION_DETAIL,
    errorStatuses: [403],
    isTagged: true,
    query: DETAIL_FIELDS,
    handle: showVersion,
  }),
];

export const PUBLICATION_FEED_ENDPOINT: KeyedEndpoint = keyedEndpoint({
  endpoint: 'GET /publications',
  operationId: 'listPublications',
  summary: "The publications of the account's datasets, in the order in which they ended",
  answer: PUBLICATION_FEED,
  errorStatuses: [404, 504],
  isTagged: true,
  query: FEED_FIELDS,
  handle: showFeed,
});
