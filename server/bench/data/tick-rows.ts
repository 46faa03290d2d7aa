/** SQL for a day of ticks in natural order: times are local, as a feed has them. */
import { type Listing, tickCounts } from './listings.ts';
import type { DataSizes } from './sizes.ts';

interface TickKind {
  readonly types: readonly (readonly [percent: number, name: string])[];
  /** SQL of the tick at whose time tick `j` of its listing is. */
  readonly slotSql: string;
}

const QUOTES_AND_TRADES: TickKind = {
  types: [
    [38, 'QUOTE BID'],
    [38, 'QUOTE ASK'],
    [8, 'QUOTE BID NB'],
    [8, 'QUOTE ASK NB'],
    [5, 'TRADE'],
    [3, 'TRADE NB'],
  ],
  // A ninth are at the very time of the tick before.
  slotSql: 'j - (j % 9 = 4)::INT',
};

/** Orders are filled in pieces: trades come in bursts of one to five, three on average. */
export const TRADES: TickKind = {
  types: [
    [60, 'TRADE'],
    [39, 'TRADE NB'],
    [1, 'TRADE CANCELLED'],
  ],
  slotSql: 'j - ([0, 0, 1, 2, 3, 4, 0, 1, 2])[1 + j % 9]',
};

const VENUES = [
  ...['NASDAQ', 'NYSE', 'ARCA', 'BATS', 'BATS Y', 'EDGA', 'EDGX', 'IEX', 'MEMX', 'MIAX'],
  ...['NASDAQ BX', 'NASDAQ PSX', 'NYSE AMER', 'NYSE CHI', 'NYSE NAT', 'FINRA'],
];

function typeSql({ types }: TickKind, hash: string): string {
  let below = 0;
  const branches = types.map(([percent, name]) => {
    below += percent;
    return `WHEN ${hash} % 100 < ${below} THEN '${name}'`;
  });
  return `CASE ${branches.join(' ')} END`;
}

/**
 * Each listing's ticks are spread over its day, denser at the open and the close, and some share
 * the time of the tick before. Every digit of the nanoseconds is in use.
 */
export function tickRowsSql(
  sizes: DataSizes,
  all: readonly Listing[],
  day: number,
  kind = QUOTES_AND_TRADES,
): string {
  const date = sizes.tickDays[day] as string;
  const counts = tickCounts(sizes, day);
  const rows = all
    .map(({ ticker, asid, basePrice }, i) => ({ ticker, asid, basePrice, i, count: counts[i] }))
    .sort((a, b) => (a.ticker < b.ticker ? -1 : 1))
    .map(
      (row) => `('${row.ticker}', ${row.asid}, ${row.basePrice}::DOUBLE, ${row.i}, ${row.count})`,
    );
  return `
    WITH listing(ticker, asid, price, i, n) AS (VALUES ${rows.join(', ')}),
    tick AS (SELECT *, unnest(range(n)) AS j FROM listing),
    slot AS (SELECT *, ${kind.slotSql} AS s, hash(i, j, ${day}) AS h FROM tick),
    moment AS (SELECT *, (s + (hash(i, s) % 1000000) / 1e6) / n AS x FROM slot),
    warped AS (SELECT *, x - 0.1 * sin(2 * pi() * x) AS w FROM moment)
    SELECT DATE '${date}' AS TradeDate,
      make_timestamp_ns(epoch_ns(DATE '${date}'::TIMESTAMP_NS) + (CASE
        WHEN w < 0.03 THEN 14400e9 + w / 0.03 * 19800e9
        WHEN w < 0.98 THEN 34200e9 + (w - 0.03) / 0.95 * 23400e9
        ELSE 57600e9 + (w - 0.98) / 0.02 * 14400e9 END)::BIGINT) AS EventDateTime,
      ${typeSql(kind, 'h')} AS EventType,
      ticker AS Ticker,
      asid AS ASID,
      round(price * (1 + 0.015 * sin(x * 9 + i)) + (h // 128 % 7)::INT / 100 - 0.03, 2) AS Price,
      CASE WHEN h % 100 < 92 THEN 100 * (1 + h // 1024 % 12) ELSE 1 + h // 1024 % 400 END::BIGINT
        AS Quantity,
      (${`['${VENUES.join("','")}']`})[1 + (h // 65536 % ${VENUES.length})::INT] AS Exchange,
      CASE WHEN h // 1048576 % 10 < 7 THEN 1 WHEN h % 2 = 0 THEN 33 ELSE 2147483649 END::BIGINT
        AS ConditionCode
    FROM warped`;
}
