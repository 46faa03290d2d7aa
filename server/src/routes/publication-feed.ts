/** A feed of publications to poll, in the order in which they ended. */
import { optional } from '../admin/field.ts';
import { COUNT, pageLimit } from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { PublicationRecord } from '../store/publications.ts';
import { isAdministrator } from './admit.ts';
import { type KeyedEndpoint, type KeyedExchange, keyedEndpoint } from './endpoint.ts';
import { readQuery } from './query-fields.ts';
import { readableBy } from './readable-by.ts';
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

/** Whose rules a feed goes by; all datasets for administrators. */
interface FeedReader {
  readonly isForAdministrator: boolean;
  rulesOf(datasetId: string): readonly AccessRule[];
}

function feedReader({ services, caller }: KeyedExchange): FeedReader {
  const { replica } = services.store;
  const { identity } = caller;
  return {
    isForAdministrator: isAdministrator(caller),
    rulesOf: (datasetId) =>
      identity ? replica.rulesOfDataset(identity.identityId, datasetId) : [],
  };
}

/** What of a publication the reader may know: its datasets, and of each the partitions. */
async function concerned(
  exchange: KeyedExchange,
  record: PublicationRecord,
  { isForAdministrator, rulesOf }: FeedReader,
): Promise<EventDataset[]> {
  const { catalog, lake } = exchange.services;
  const found: EventDataset[] = [];
  for (const { datasetId, version } of record.datasets) {
    const dataset = catalog.byId(datasetId) ?? null;
    const rules = rulesOf(datasetId);
    if (!isForAdministrator && (rules.length === 0 || !dataset || version === null)) continue;
    const changes = await lake.ledger.partChanges(record.publicationId, datasetId);
    const readable =
      dataset && !isForAdministrator ? await readableBy(exchange, dataset, rules) : null;
    const partitions = changes
      .map(({ key }) => key)
      .filter((key) => readable?.isVisible(key) ?? true);
    if (isForAdministrator || partitions.length > 0 || changes.length === 0) {
      found.push({ datasetId, dataset, version, partitions });
    }
  }
  return found;
}

async function readFeed(exchange: KeyedExchange) {
  const { lake } = exchange.services;
  const { after = 0, limit = PAGE_ROWS } = readQuery(exchange, FEED_FIELDS);
  const reader = feedReader(exchange);
  const query = { after, limit: EXAMINED_MAX + 1, publishedOnly: !reader.isForAdministrator };
  const ended = await lake.ledger.endedAfter(query);
  if (!ended) throw new ApiError('not found', `No publication ${after} has ended`);
  const data: ReturnType<typeof eventView>[] = [];
  let nextAfter = after;
  let examinedCount = 0;
  for (const record of ended.slice(0, EXAMINED_MAX)) {
    if (data.length === limit) break;
    examinedCount++;
    nextAfter = record.publicationId;
    const datasets = await concerned(exchange, record, reader);
    if (datasets.length === 0) continue;
    data.push(eventView(record, datasets, reader.isForAdministrator));
  }
  const hasMore = examinedCount < ended.length;
  return { data, pagination: { after, limit, next_after: nextAfter, has_more: hasMore } };
}

export const PUBLICATION_FEED_ENDPOINT: KeyedEndpoint = keyedEndpoint({
  method: 'GET',
  path: '/publications',
  operationId: 'listPublications',
  summary: "What was published of the account's datasets, in the order in which it was",
  answer: PUBLICATION_FEED,
  errorStatuses: [404],
  isPublic: false,
  isTagged: true,
  takesQuery: true,
  query: FEED_FIELDS,
  handle: readFeed,
});
