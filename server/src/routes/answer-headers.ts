/** The headers of answers, as the OpenAPI document describes them. */
import { QUOTA_SPANS } from '../store/quantities.ts';

const text = (description: string) => ({ schema: { type: 'string' }, description });
const integer = (description: string) => ({ schema: { type: 'integer' }, description });

export const ID_HEADERS = {
  'x-request-id': text("The service's id of the request"),
  'x-amzn-RequestId': text("The edge's id of the request"),
  'X-Request-Digest': text(
    'SHA-256 of the path below the version prefix and the query, without percent-encoding',
  ),
};

export const RATE_HEADERS = {
  ...ID_HEADERS,
  'Retry-After': integer('Seconds until the request should be sent again'),
  'X-RateLimit-Limit': integer('The limit that is used up'),
  'X-RateLimit-Remaining': integer('Always 0'),
  'X-RateLimit-Reset': integer('Whole seconds until the request could succeed'),
  'X-RateLimit-Window': {
    ...text('The span of the limit'),
    schema: { type: 'string', enum: QUOTA_SPANS },
  },
};

export const TAG_HEADERS = {
  ...ID_HEADERS,
  ETag: text('Send it as If-None-Match with a later request'),
};

export const JSON_HEADERS = { ...ID_HEADERS, 'Repr-Digest': text('SHA-256 of the body') };

export const DATA_HEADERS = {
  ...TAG_HEADERS,
  'X-Dataset-Version': integer('The version of the dataset; 0 before the first publication'),
  'X-Factors-Version': integer(
    'The version of the adjustment factors, where rows were adjusted on request',
  ),
  'X-Window': text(
    "START/END: the dates read, where the period or the account's windows limited them",
  ),
  'X-Rolls-Version': integer(
    'The version of the dataset that ranks contracts, for continuous ones',
  ),
  'X-Rolls': text(
    'TICKER START/END, …: the contracts that a continuous one stood for on these dates',
  ),
  'X-Symbols': text(
    'TICKER ID START/END, …: tickers of the request that meant more than one company on its dates; ' +
      'with continuous=true, the tickers that the companies had',
  ),
};

export const PAGE_HEADERS = {
  ...DATA_HEADERS,
  'X-Unadjusted': text(
    'With adjusted=true, TICKER ASID no-event, TICKER no-asid, …: securities of the page whose rows ' +
      'are as they were traded, or with left-out have none; unknown where the account may not read the adjustment factors',
  ),
  'Repr-Digest': text('The digest of the body, where the request has Want-Repr-Digest'),
  'X-Missing': text(
    'COUNT of LISTED: NAME, …: identifiers of a list that have no rows for the caller on these dates; ' +
      'on first pages of requests that list some',
  ),
  'X-Hint': text('On some answers without rows: what the request may have meant'),
  'X-Hint-Code': text(
    'With X-Hint: its kind and, percent-encoded, the identifier that may be meant',
  ),
  'X-Receipt': text(
    'With receipt=true: a signed statement of the request and the page (JWS, EdDSA)',
  ),
  'Content-Encoding': text(
    'Arrow: zstd or gzip, where the request allows it; no other format has one',
  ),
  Link: text('The next page, with rel="next"; absent on the last one'),
  'X-Pagination-Limit': text('All formats but JSON: the limit applied'),
  'X-Pagination-Offset': text('All formats but JSON: empty on the first page'),
  'X-Pagination-Next-Offset': text('All formats but JSON: empty on the last page'),
};

export const FILE_HEADERS = {
  ...TAG_HEADERS,
  'Accept-Ranges': text('bytes: one range at a time'),
  'Content-Disposition': text('A name for the file'),
  'Content-Range': text('On a 206: which bytes of how many'),
  'Repr-Digest': text('SHA-256 of the whole file'),
};

export const REDIRECT_HEADERS = {
  ...FILE_HEADERS,
  Location: text('Works for a minute, without a key, for a GET alone'),
};

/** Pages of the listed origins may read all of them. */
export const EXPOSED_HEADERS = Object.keys({ ...RATE_HEADERS, ...PAGE_HEADERS, ...FILE_HEADERS });
