/** A feed of publications to poll, in the order in which they ended. */
import { optional } from '../admin/field.ts';
import { COUNT, pageLimit } from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ReadablePartitions } from '../plan/readable-partitions.ts';
import { readableBy } from '../query/readable-by.ts';
import { asOfNow, type DataServices, inTurn } from '../query/reader.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { EndedPublication } from '../store/publications.ts';
import { isAdministrator } from './admit.ts';
import { type DataExchange, type KeyedEndpoint, keyedEndpoint } from './endpoint.ts';
import { readQuery } from './query-fields.ts';
import { PUBLICATION_FEED } from './version-answers.ts';
import { type EventDataset, eventView } from './version-views.ts';

const PAGE_ROWS = 100;
const PAGE_ROWS_MAX = 1000;
/** Publications that one request looks at: most may concern somebody else. */
const EXAMINED_MAX = 1000;

const FEED_FIELDS = {
  after: optional(COUNT, 'Show publications that ended after this one; default: from the first'),
  limit: optional(
    pageLimit(PAGE_ROWS_MAX),
    `Maximum number of publications; default: ${PAGE_ROWS}`,
  ),
};

/** What of partitions a reader may know of each dataset; null: all of them. */
type ReadableOf = (datasetId: string) => Promise<Pick<ReadablePartitions, 'isVisible'>> | null;

/** By the rules of the account; asked for once, however many publications concern the dataset. */
function readableTo(exchange: DataExchange, rules: readonly AccessRule[]): ReadableOf {
  const readable = new Map<string, Promise<ReadablePartitions>>();
  return (datasetId) => {
    const known = readable.get(datasetId);
    if (known) return known;
    const dataset = exchange.services.catalog.byId(datasetId) as Dataset;
    const ofDataset = rules.filter((rule) => rule.datasetId === datasetId);
    const found = readableBy(exchange.services, dataset, ofDataset);
    readable.set(datasetId, found);
    return found;
  };
}

/** What of a publication the reader may know: its datasets, and of each the partitions. */
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
  const rules = caller.identity ? services.store.replica.rulesOf(caller.identity.identityId) : [];
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
  const { identity } = exchange.caller;
  if (!identity) return await readFeed(exchange, null);
  return await inTurn(exchange, identity.identityId, (signal) => readFeed(exchange, signal));
}

export const PUBLICATION_FEED_ENDPOINT: KeyedEndpoint = keyedEndpoint({
  method: 'GET',
  path: '/publications',
  operationId: 'listPublications',
  summary: "What was published of the account's datasets, in the order in which it was",
  answer: PUBLICATION_FEED,
  errorStatuses: [404, 504],
  isPublic: false,
  isTagged: true,
  takesQuery: true,
  query: FEED_FIELDS,
  handle: showFeed,
});
