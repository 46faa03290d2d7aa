/**
 * The market that the server has to hold: invented, small, and the same for everybody. Its numbers
 * are drawn by a generator of two lines, so that a program in any language makes the same rows.
 */

export type Cell = string | number | null | readonly string[];
export type Row = Readonly<Record<string, Cell>>;

export interface MarketDataset {
  /** Names it in the catalogue, such as `US1032`. */
  readonly id: string;
  readonly textId: string;
  /** Below the version prefix, up to where dates and identifiers follow. */
  readonly path: string;
  /** Types by name. */
  readonly columns: Readonly<Record<string, string>>;
  /** In natural order; events of equal time in the order of the feed. */
  readonly rows: readonly Row[];
  /** Paths that together answer all rows, in this order. */
  readonly slices: readonly string[];
}

const SEED = 20_250_310;
/** Between the two, clocks change to summer time. */
const DAYS = ['2025-03-07', '2025-03-10'] as const;
const [FIRST_DAY, LAST_DAY] = DAYS;
const EASTERN = { [FIRST_DAY]: '-05:00', [LAST_DAY]: '-04:00' };
const CHICAGO = { [FIRST_DAY]: '-06:00', [LAST_DAY]: '-05:00' };
const ASIDS: Readonly<Record<string, number>> = {
  KTA: 1_010_000_000_000_001,
  KTB: 1_010_000_000_000_002,
  KTC: 1_010_000_000_000_003,
};
const CONTRACTS = ['KQH5', 'KQM5'];
/** More than the default limit of every format. */
const MANY_EVENTS = 8_200;
const FEW_EVENTS = 40;

/** Park and Miller's generator: draws from 0 up to, not including, a number. */
function drawsOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** `HH:MM:SS.fffffffff` of nanoseconds since midnight. */
function clockText(nanos: number): string {
  const seconds = Math.floor(nanos / 1e9);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const fraction = String(nanos % 1e9).padStart(9, '0');
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}.${fraction}`;
}

const EVENT_TYPES = ['QUOTE BID', 'QUOTE ASK', 'TRADE', 'TRADE NB'];
const EXCHANGES = ['NYSE', 'NASDAQ', 'ARCA', 'BATS', 'FINRA'];
const CONDITIONS = [1, 33, 2_147_484_673];

/** KTZ, a test symbol, has no ASID. A quarter of all events have the time of the one before. */
function tickCells(): Cell[][] {
  const draw = drawsOf(SEED);
  const pick = (values: readonly Cell[]) => values[draw(values.length)] as Cell;
  return DAYS.flatMap((date) =>
    ['KTA', 'KTB', 'KTZ'].flatMap((ticker) => {
      let nanos = 34_200e9;
      let price = 1_460_000;
      const length = date === LAST_DAY && ticker === 'KTA' ? MANY_EVENTS : FEW_EVENTS;
      return Array.from({ length }, () => {
        nanos += draw(4) === 0 ? 0 : draw(2_000_000_000);
        price += 100 * (draw(21) - 10) + (draw(5) === 0 ? draw(100) : 0);
        return [
          ...[date, `${date}T${clockText(nanos)}${EASTERN[date]}`, pick(EVENT_TYPES), ticker],
          ...[ASIDS[ticker] ?? null, price / 10_000, 1 + draw(900), pick(EXCHANGES)],
          pick(CONDITIONS),
        ];
      });
    }),
  );
}

/** Two days that are older than every default period, then all trading days of five weeks. */
function dailyDates(): string[] {
  const dates = ['2019-03-07', '2019-03-08'];
  for (let time = Date.UTC(2025, 1, 3); time <= Date.parse(LAST_DAY); time += 86_400_000) {
    const date = new Date(time);
    const text = date.toISOString().slice(0, 10);
    if (date.getUTCDay() % 6 !== 0 && text !== '2025-02-17') dates.push(text);
  }
  return dates;
}

function dailyCells(): Cell[][] {
  const draw = drawsOf(SEED + 1);
  return dailyDates().flatMap((date) =>
    Object.entries(ASIDS).map(([ticker, asid]) => {
      const [low, open, close] = [9_000 + draw(500), draw(300), draw(300)] as const;
      const high = low + Math.max(open, close) + draw(50);
      const shares = 1_000 + draw(5_000_000) + (ticker === 'KTA' ? 5_000_000_000 : 0);
      return [
        ...[date, ticker, asid, (low + open) / 100, high / 100, low / 100, (low + close) / 100],
        ...[shares, draw(500), shares + draw(10_000), 500 + draw(500)],
        ...[(low * 10_000 + draw(1_000_000)) / 1e6, (low * 10_000 + draw(1_000_000)) / 1e6],
      ];
    }),
  );
}

function barCells(): Cell[][] {
  const draw = drawsOf(SEED + 2);
  return DAYS.flatMap((date) =>
    CONTRACTS.flatMap((ticker) =>
      Array.from({ length: FEW_EVENTS }, (_, minute) => {
        const [low, open, close] = [24_000 + draw(40), draw(8), draw(8)] as const;
        const [bought, sold] = [1 + draw(50), 1 + draw(50)] as const;
        const time = clockText((30_600 + 60 * minute) * 1e9).slice(0, 'HH:MM:SS'.length);
        return [
          ...[date, `${date}T${time}${CHICAGO[date]}`, ticker, 'KQ', (low + open) / 4],
          ...[(low + 9) / 4, low / 4, (low + close) / 4, (low * 25_000_000 + draw(1e8)) / 1e8],
          ...[bought + sold, bought, sold, 2, 1, 1],
        ];
      }),
    ),
  );
}

const ALWAYS = ['20200101:20991231'];
const TWICE = ['20200101:20211231', '20220101:20991231'];
/** Nulls, empty texts and lists, and texts that need care in CSV and in JSON. */
const SECURITY_CELLS: readonly Cell[][] = (
  [
    [
      1,
      1_010_000_000_000_001,
      'L',
      3_571,
      'Manufacturing',
      ['KTO', 'KTA'],
      'Kappa "K" Corporation',
    ],
    [2, 1_010_000_000_000_002, 'D', 100, 'Agriculture, Forestry', ['KTB'], 'Lambda, Inc.'],
    [3, 1_010_000_000_000_003, 'L', null, '', ['KTC'], 'Größe\\Ελλάς'],
    [4, null, 'A', null, null, ['KTD'], ''],
  ] as const
).map(([secId, asid, status, sic, sector, tickers, name]) => [
  ...[secId, asid, status, 'Equity Shares', sic, sector, 'Say "when"', sector && '2046251'],
  ...[tickers, TWICE.slice(0, tickers.length), [name], ALWAYS, [], [], null, null],
  ...[['NYSE'], ALWAYS, ['']],
]);

/** Columns as words of a name and a type; an array is of strings. */
function datasetOf(
  [id, textId, path]: readonly [id: string, textId: string, path: string],
  columnText: string,
  cells: readonly (readonly Cell[])[],
  sliceOf: (row: Row) => string,
): MarketDataset {
  const words = columnText.matchAll(/(\w+) ([\w-]+)/g);
  const columns = Object.fromEntries([...words].map(([, name, type]) => [name, type!]));
  const names = Object.keys(columns);
  const rows = cells.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]!])));
  const slices = [...new Set(rows.map((row) => `${path}${sliceOf(row)}`))];
  return { id, textId, path, columns, rows, slices };
}

const TICKS = datasetOf(
  ['US1032', 'eq_taq', '/data/us-equity/eq-taq'],
  `TradeDate date, EventDateTime date-time, EventType string, Ticker string, ASID integer,
   Price number, Quantity integer, Exchange string, ConditionCode integer`,
  tickCells(),
  (row) => `/${row.TradeDate}/${row.Ticker}`,
);
const DAILY = datasetOf(
  ['US1020', 'eq_daily_ohlc', '/data/us-equity/eq-daily-ohlc'],
  `TradeDate date, Ticker string, ASID integer, OpenPrice number, HighPrice number,
   LowPrice number, ClosePrice number, MarketHoursVolume integer, MarketHoursFinraVolume integer,
   DailyVolume integer, DailyFinraVolume integer, MarketHoursVWAP number, DailyVWAP number`,
  dailyCells(),
  () => '?period=20Y',
);
const BARS = datasetOf(
  ['US6014', 'fut_trades_1min', '/data/us-futures/fut-trades-1min'],
  `TradeDate date, BarDateTime date-time, Ticker string, BaseSymbol string, OpenPrice number,
   HighPrice number, LowPrice number, ClosePrice number, VolumeWeightPrice number,
   TotalQuantity integer, BuyAggressorQuantity integer, SellAggressorQuantity integer,
   TotalTrades integer, BuyAggressorTrades integer, SellAggressorTrades integer`,
  barCells(),
  () => `?Ticker.in=${CONTRACTS}`,
);
const SECURITIES = datasetOf(
  ['US2008', 'eq_sec_master', '/data/us-equity-ref/eq-sec-master'],
  `SecId integer, ASID integer, ListStatus string, SecurityDescription string, Sic integer,
   Sector string, Industry string, SEDOL string, Ticker array, TickerStartToEndDate array,
   Name array, NameStartToEndDate array, ISIN array, ISINStartToEndDate array,
   USIdentifier array, USIdentifierStartToEndDate array, PrimaryExchange array,
   PrimaryExchangeStartToEndDate array, FIGI array`,
  SECURITY_CELLS,
  () => '',
);
export const MARKET: readonly MarketDataset[] = [TICKS, DAILY, BARS, SECURITIES];
/** Paths of requests, by the words that checks have for them. */
export const PATHS: Readonly<Record<string, string>> = {
  ...{ TICKS: TICKS.path, DAILY: DAILY.path, BARS: BARS.path, SECURITIES: SECURITIES.path },
  ...{ DAY: `${TICKS.path}/${LAST_DAY}/KTB`, LONG: `${TICKS.path}/${LAST_DAY}/KTA` },
};

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

function fieldOf(cell: Cell): string {
  if (cell === null) return '';
  if (Array.isArray(cell)) return quoted(JSON.stringify(cell));
  const text = String(cell);
  return text === '' || /[",\n]/.test(text) ? quoted(text) : text;
}

/** A file to be loaded, and the answer of a server that has loaded it. */
export function csvOf(names: readonly string[], rows: readonly Row[]): string {
  const lines = rows.map((row) => names.map((name) => fieldOf(row[name]!)));
  return [names.map(quoted), ...lines].map((fields) => `${fields}\n`).join('');
}
