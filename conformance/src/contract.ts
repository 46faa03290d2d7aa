/**
 * All that a server guarantees. A line without indent is a check: its id, the page and heading of
 * the documentation, and the guarantee. Below it stand requests, each with what has to come:
 *
 *     PATH                 the page that it selects from the market
 *     PATH ~ PATH          the page that the second path selects
 *     PATH has FIELDS      an object, or a list of objects, with fields of a kind or a value
 *     STATUS PATH PATTERN  a refusal whose detail matches; one of 422 may say more
 *
 * A path begins with a slash or a name of `PATHS`. `nokey`, `badkey` or `restricted` before it says
 * with which key it is asked. What requests cannot say is a function in `checks.ts`.
 */
export const CONTRACT = `
status.open | http.md#endpoints | Anybody may ask for the status and the version of the service.
  nokey /status has status string, version string
paths.unknown | errors.md#status-codes | An unknown path is 404, with a key or without.
  404 nokey /nothing Not Found
  404 /data/us-equity/no-such-dataset .+
paths.prefix | http.md | A path without a version is 404.
paths.ids | errors.md#status-codes | Paths of the catalogue take ids alone, in upper case.
  404 /meta/datasets/eq_taq/info (The dataset with the specified id|A dataset with the id .+) is not found
  404 /meta/datasets/us1032/columns (The dataset with the specified id|A dataset with the id .+) is not found
methods.read-only | errors.md#status-codes | HEAD, OPTIONS, POST and DELETE are 405, and Allow names GET.
origins.unknown | errors.md#status-codes | A web page of an unknown origin is refused with 400.
headers.request-ids | http.md#headers-of-answers | Every answer, also an error, has an x-request-id of its own.
keys.missing | errors.md#status-codes | Without a key the answer is 401.
  401 nokey /account/my Not authenticated
  401 nokey /meta/datasets Not authenticated
  401 nokey DAY Not authenticated
keys.unknown | errors.md#status-codes | With a key of nobody the answer is 401.
  401 badkey /account/my Invalid API key
  401 badkey /meta/datasets Invalid API key
  401 badkey DAY Invalid API key

account.fields | administration.md#accounts | An account has four fields, and no others.
  /account/my has identity_id integer, name string, max_active_api_keys integer, ip_subnets array
account.keys | administration.md#keys | Keys are listed by their last four characters, never whole.
  /account/my/api-keys has key_id integer, name string, reference string, created_at time, expires_at time
  /account/my/api-keys has last_used_at time?, is_active boolean, status string
account.rules | administration.md#rules | A rule names its dataset, dates and identifiers.
  /account/my/data-access-rules has dataset_id string, dataset_name string, dataset_version string
  /account/my/data-access-rules has start_date date, end_date date?, universe_identifiers array
account.quotas | quotas.md#reading-usage-and-limits | Usage and limits are there by month and by minute.
  /account/my/quotas has quotas_usage.month.requests integer, quotas_usage.minute.requests integer
  /account/my/quotas has quotas_usage.month.data_scanned integer, quotas_usage.minute.data_scanned integer
  /account/my/quotas has quotas_usage.month.data_returned integer, quotas_usage.minute.data_returned integer
  /account/my/quotas has quotas_limit.month.requests integer?, quotas_limit.minute.requests integer?
  /account/my/quotas has quotas_limit.month.data_scanned integer?, quotas_limit.minute.data_scanned integer?
  /account/my/quotas has quotas_limit.month.data_returned integer?, quotas_limit.minute.data_returned integer?
catalogue.list | http.md#endpoints | Every dataset is listed for every key; a second list has what it may read.
  /meta/datasets has dataset_id string, dataset_name string, data_group string, vendor string
catalogue.info | http.md#endpoints | A dataset is described, with its dates and identifiers.
  /meta/datasets/US1032/info has dataset_id US1032, dataset_name string, data_group string, vendor string
  /meta/datasets/US1032/info has description string, dataset_class string, dataset_format string
  /meta/datasets/US1032/info has time_granularity string, documentation_link string, start_date date
  /meta/datasets/US1032/info has end_date date?, is_time_series boolean, universe_identifier string
  /meta/datasets/US1032/info has creation_date date
catalogue.columns | http.md#endpoints | Columns are listed in their order, with their types.
catalogue.status | http.md#status-of-a-dataset | A status has the last trade date and the number of rows.
  /meta/datasets/US1032/status has dataset_id US1032, status_code string, last_update time
  /meta/datasets/US1032/status has next_expected_update time?, version integer
  /meta/datasets/US1032/status has last_trade_date 2025-03-10, row_count 8400
  /meta/datasets/US1020/status has last_trade_date 2025-03-10, row_count 81
  /meta/datasets/US6014/status has last_trade_date 2025-03-10, row_count 160
  /meta/datasets/US2008/status has last_trade_date null, row_count 4

market.ticks | http.md#formats | All ticks come in natural order, as the bytes whose digests are published.
market.daily | http.md#formats | All daily prices come in natural order, as the bytes of their digest.
market.bars | http.md#formats | All bars come in natural order, as the bytes of their digest.
market.securities | http.md#formats | All securities come in natural order, as the bytes of their digest.
values.json | http.md#formats | JSON has null for what is missing, arrays, exact numbers, and times with their offset.
  DAY
  DAILY?period=20Y
  BARS?Ticker=KQM5
  SECURITIES
formats.bodies | http.md#formats | Each format has its Content-Type and the same rows; gzip has a name for the file.
paging.walk | http.md#formats | From next_offset to next_offset each row comes once, also where times are equal.
  DAY?limit=7
  DAY?limit=7&offset=7
  DAY?limit=7&offset=14
  DAY?limit=7&offset=21
  DAY?limit=7&offset=28
  DAY?limit=7&offset=35
paging.sorted-walk | queries.md#the-other-parameters | Pages that are sorted by many equal cells miss no row.
paging.link | queries.md#the-other-parameters | Link names the next page with all of the query; the last page has none.
paging.limits | queries.md#the-other-parameters | A page has as many rows as its limit or its format allows.
  LONG?limit=10000
paging.csv | http.md#formats | CSV pages have their place in headers, and names of columns on the first page alone.
caching.tags | http.md#caching | If pages have an ETag, it stands for their bytes.

filters.equal | queries.md#filters | Without an operator, or with eq, cells have to be equal.
  DAILY?Ticker=KTB
  DAILY?ClosePrice.eq=94.66
  DAILY?TradeDate=2025-03-10
  DAY?Quantity=380
filters.compare | queries.md#filters | gt, ge, lt and le compare numbers and dates.
  DAILY?ClosePrice.gt=94.66
  DAILY?ClosePrice.ge=94.66
  DAILY?ClosePrice.lt=92.17
  DAILY?ClosePrice.le=92.17
  DAILY?TradeDate.gt=2025-03-03
  DAILY?DailyVolume.gt=5000000000
filters.list | queries.md#filters | in takes a list, whose values are quoted as in CSV.
  DAILY?Ticker.in=KTA,KTC
  DAY?ConditionCode.in=1,2147484673
  SECURITIES?Sector.in=%22Agriculture,%20Forestry%22,None
filters.pattern | queries.md#filters | like and ilike take * for any characters.
  DAY?EventType.like=QUOTE*
  DAY?EventType.like=quote*
  DAY?EventType.ilike=*e+nb
filters.combine | queries.md#filters | A row has to pass all filters, also those on one column.
  DAILY?ClosePrice.gt=92.17&ClosePrice.gt=94.66
  DAILY?ClosePrice.le=94.66&Ticker=KTC
  DAY?Exchange=NYSE&Exchange=BATS
filters.arrays | queries.md#filters | Of an array, any element may pass.
  SECURITIES?Ticker=KTO
  SECURITIES?Ticker.in=KTB,KTC
  SECURITIES?Name.like=*Inc.
filters.times | queries.md#values | Times are compared to the nanosecond, on the market's clock or by their own offset.
  DAY?EventDateTime.ge=2025-03-10T09:30:07.318978182
  DAY?EventDateTime.gt=2025-03-10T09:30:07.318978182 ~ DAY?EventDateTime.ge=2025-03-10T09:30:07.318978183
  DAY?EventDateTime.ge=2025-03-10T13:30:20Z ~ DAY?EventDateTime.ge=2025-03-10T09:30:20
  DAY?EventDateTime.lt=2025-03-10T14:30:20%2B01:00 ~ DAY?EventDateTime.lt=2025-03-10T09:30:20
  BARS?Ticker=KQM5&BarDateTime.ge=2025-03-10T08:45:00
sort.columns | queries.md#the-other-parameters | Columns sort up, or down after a -; later ones break ties.
  DAILY?sort=ClosePrice,TradeDate,Ticker
  DAILY?sort=%2BTicker,-DailyVolume
  DAILY?sort=-TradeDate,+Ticker
columns.chosen | queries.md#the-other-parameters | Only columns that are asked for come, in that order.
  DAY?columns=Price,EventType
identifiers.exact | queries.md#the-path | A path takes a ticker, exactly as it is written, or an ASID.
  TICKS/2025-03-10/1010000000000002 ~ DAY
  TICKS/2025-03-10/ktb
  DAILY?Ticker=ktb
identifiers.segments | errors.md#status-codes | A dataset also answers without eq- or fut- in its path.
  /data/us-equity/taq/2025-03-10/KTB ~ DAY
  /data/us-futures/trades-1min?Ticker=KQM5 ~ BARS?Ticker=KQM5
empty.pages | queries.md#answers-without-rows | What has no rows is an empty page, and no error.
  TICKS/2025-03-10/NONE
  TICKS/2025-03-09/KTB
  DAY?offset=1000
  BARS?Ticker=KQM25
period.default | queries.md#dates | Without dates, five years come.
  DAILY
period.window | queries.md#dates | A period ends at the last date, or begins or ends at the one that is given.
  DAILY?period=1W ~ DAILY?TradeDate.gt=2025-03-03
  DAILY?period=2D&TradeDate.le=2025-03-05 ~ DAILY?TradeDate.in=2025-03-04,2025-03-05
  DAILY?period=2D&TradeDate.ge=2025-03-07 ~ DAILY?TradeDate=2025-03-07
period.range | queries.md#dates | A range of dates that is longer than the period is 422.
  422 DAILY?TradeDate.ge=2025-02-03&TradeDate.le=2025-03-10&period=1W history limit

errors.columns | errors.md#types-of-a-422 | All unknown columns of a request are in one 422.
  422 DAY?Nope=1&sort=-Neither&columns=Price,Nor The following columns do not exist in the dataset: Nope, Neither, Nor
  422 DAY?price=1 The following columns do not exist in the dataset: price
errors.dates | errors.md#types-of-a-422 | A date that is none is quoted.
  422 TICKS/2025-02-30/KTB Cannot parse the filter value '2025-02-30' as Date
  422 DAILY?TradeDate=10.3.2025 Cannot parse the filter value '10.3.2025' as Date
errors.operators | errors.md#types-of-a-422 | An operator that does not fit is 422 with those that do.
  422 DAILY?Ticker.between=A eq.*gt.*ge.*lt.*le.*in.*like.*ilike
  422 DAILY?Ticker.gt=A eq.*in.*like
  422 DAILY?OpenPrice.like=1* eq.*gt.*ge.*lt.*le.*in
errors.values | errors.md#types-of-a-422 | A value of a wrong kind is 422.
  422 DAILY?limit=0 .
  422 DAILY?limit=x .
  422 DAILY?offset=-1 .
  422 DAILY?adjusted=perhaps .
  422 DAILY?period=5M .
  422 DAILY?ClosePrice.gt=much much
errors.choices | errors.md#types-of-a-422 | A choice that there is not is 422 with those that there are.
  422 DAY?response_format=xml json.*csv.*csv_gzip
  422 DAILY?aggregation_logic=other industry_std
errors.required-filter | queries.md#filters | Bars need a filter on the identifier.
  422 BARS The filter expression for the field 'Ticker' should be specified
errors.twice | queries.md#the-other-parameters | A parameter that is no filter may be given once.
  422 DAY?limit=1&limit=2 .
errors.path-columns | queries.md#the-path | A column that the path sets is no filter.
  422 DAY?TradeDate=2025-03-10 TradeDate
  422 DAY?Ticker=KTB Ticker
errors.inapplicable | queries.md#the-other-parameters | A parameter that does not apply is 422.
  422 SECURITIES?period=1Y period does not apply to this dataset
  422 SECURITIES?adjusted=true adjusted does not apply to this dataset

access.datasets | errors.md#status-codes | Without a rule for a dataset, its status and rows are 403.
  403 /data/us-equity-ref/eq-trading-halts The account is not authorized to access the dataset US Equities Trading Halts
  403 /meta/datasets/US2013/status This identity does not have access to dataset US2013
access.variants | security.md#access-to-data | A variant of a dataset needs a rule of its own.
  403 DAILY?adjusted=true The account is not authorized to access the dataset .+
  403 DAILY?aggregation_logic=industry_std The account is not authorized to access the dataset .+
access.window | queries.md#what-an-account-may-read | Rows outside the dates of a rule never come; asking for them is 422.
  restricted DAILY?Ticker=KTA ~ DAILY?Ticker=KTA&TradeDate.ge=2025-03-03&TradeDate.le=2025-03-07
  restricted DAILY?Ticker=KTA&TradeDate.gt=2025-03-04 ~ DAILY?Ticker=KTA&TradeDate.in=2025-03-05,2025-03-06,2025-03-07
  422 restricted TICKS/2025-03-10/KTA The date value '2025-03-10' is outside of the allowed range for this account
  422 restricted DAILY?TradeDate=2025-03-10 The date value '2025-03-10' is outside of the allowed range for this account
  422 restricted DAILY?TradeDate.in=2025-03-07,2025-03-10 The date value '2025-03-10' is outside of the allowed range
  422 restricted DAILY?TradeDate.le=2025-03-10 The date value '2025-03-10' is outside of the allowed range for this account
access.universe | queries.md#what-an-account-may-read | Rows of identifiers that a rule leaves out never come; naming them is 403.
  restricted DAILY?TradeDate=2025-03-07 ~ DAILY?Ticker=KTA&TradeDate=2025-03-07
  restricted DAILY?TradeDate=2025-03-07&Ticker.like=* ~ DAILY?Ticker=KTA&TradeDate=2025-03-07
  403 restricted TICKS/2025-03-07/KTB The account is not authorized to access the identifier KTB in dataset .+
  403 restricted DAILY?Ticker=KTB The account is not authorized to access the identifier KTB in dataset .+
quotas.count | quotas.md#what-is-counted | Each request is counted, with the bytes of its body, and scans the same each time.
quotas.minute | quotas.md#when-a-limit-is-used-up | Past the requests of a minute the answer is 429, but not of exempt paths.
`;
