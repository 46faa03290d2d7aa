/**
 * The security master and the symbol lookups from the chain of a security: what it was called, and
 * when. Dates are `YYYY-MM-DD`, both ends of a period included.
 */

/** End of a period that still runs. */
export const OPEN_END_DATE = '2099-12-31';

const DAY_MS = 86_400_000;

export interface NamedPeriod {
  readonly value: string;
  readonly startDate: string;
  /** `OPEN_END_DATE` while it runs. */
  readonly endDate: string;
}

/** One security number and its history, each list oldest first. */
export interface SecurityHistory {
  readonly secId: number;
  /** Null for exchange test symbols. */
  readonly asid: number | bigint | null;
  /** `L` listed, `D` delisted, `A` announced; null: not known. */
  readonly listStatus: string | null;
  readonly securityDescription: string | null;
  /** Null for funds, as are sector and industry. */
  readonly sic: number | null;
  readonly sector: string | null;
  readonly industry: string | null;
  readonly sedol: string | null;
  readonly tickers: readonly NamedPeriod[];
  readonly names: readonly NamedPeriod[];
  readonly isins: readonly NamedPeriod[];
  readonly usIdentifiers: readonly NamedPeriod[];
  readonly primaryExchanges: readonly NamedPeriod[];
  /** The last one is the present one. */
  readonly figis: readonly string[];
}

export type MasterCell = string | number | bigint | readonly string[] | null;

function compact(date: string): string {
  return date.replaceAll('-', '');
}

/** The two parallel arrays of one history: values, and their periods as `yyyymmdd:yyyymmdd`. */
function parallelArrays(periods: readonly NamedPeriod[]): [string[], string[]] {
  return [
    periods.map(({ value }) => value),
    periods.map(({ startDate, endDate }) => `${compact(startDate)}:${compact(endDate)}`),
  ];
}

export const SECURITY_MASTER_COLUMNS = [
  'SecId',
  'ASID',
  'ListStatus',
  'SecurityDescription',
  'Sic',
  'Sector',
  'Industry',
  'SEDOL',
  'Ticker',
  'TickerStartToEndDate',
  'Name',
  'NameStartToEndDate',
  'ISIN',
  'ISINStartToEndDate',
  'USIdentifier',
  'USIdentifierStartToEndDate',
  'PrimaryExchange',
  'PrimaryExchangeStartToEndDate',
  'FIGI',
] as const;

/** One cell for each of `SECURITY_MASTER_COLUMNS`. */
export function securityMasterRow(security: SecurityHistory): MasterCell[] {
  return [
    security.secId,
    security.asid,
    security.listStatus,
    security.securityDescription,
    security.sic,
    security.sector,
    security.industry,
    security.sedol,
    ...parallelArrays(security.tickers),
    ...parallelArrays(security.names),
    ...parallelArrays(security.isins),
    ...parallelArrays(security.usIdentifiers),
    ...parallelArrays(security.primaryExchanges),
    [...security.figis],
  ];
}

function dayAfter(date: string): string {
  return new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);
}

/** Periods of one value that follow each other without a gap become one. */
export function joinUnbroken(periods: readonly NamedPeriod[]): NamedPeriod[] {
  const joined: NamedPeriod[] = [];
  for (const period of periods) {
    const former = joined.at(-1);
    const isUnbroken =
      former !== undefined &&
      former.value === period.value &&
      period.startDate <= dayAfter(former.endDate);
    if (!isUnbroken) joined.push(period);
    else if (period.endDate > former.endDate)
      joined[joined.length - 1] = { ...former, endDate: period.endDate };
  }
  return joined;
}

function compare(a: string | number | bigint, b: string | number | bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export const TICKER_LOOKUP_COLUMNS = ['SecId', 'Ticker', 'StartDate', 'EndDate'] as const;

/** `TICKER_LOOKUP_COLUMNS` rows by symbol and start: one for each symbol and unbroken use. */
export function tickerLookupRows(securities: readonly SecurityHistory[]): MasterCell[][] {
  return securities
    .flatMap(({ secId, tickers }) => joinUnbroken(tickers).map((period) => ({ secId, ...period })))
    .sort(
      (a, b) =>
        compare(a.value, b.value) || compare(a.startDate, b.startDate) || compare(a.secId, b.secId),
    )
    .map(({ secId, value, startDate, endDate }) => [secId, value, startDate, endDate]);
}

export const CHAIN_LOOKUP_COLUMNS = ['ASID', 'Ticker', 'StartDate', 'EndDate'] as const;

/**
 * `CHAIN_LOOKUP_COLUMNS` rows, by ASID and start: a symbol that outlives one security number of
 * the chain has one row for its whole unbroken use.
 */
export function chainLookupRows(securities: readonly SecurityHistory[]): MasterCell[][] {
  const chains = new Map<bigint, NamedPeriod[]>();
  for (const { asid, tickers } of securities) {
    if (asid === null) continue;
    const chain = chains.get(BigInt(asid));
    if (chain) chain.push(...tickers);
    else chains.set(BigInt(asid), [...tickers]);
  }
  return [...chains]
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([asid, periods]) =>
      joinUnbroken(periods.sort((a, b) => compare(a.startDate, b.startDate))).map(
        ({ value, startDate, endDate }) => [asid, value, startDate, endDate],
      ),
    );
}
