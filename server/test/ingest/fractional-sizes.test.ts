/** Sizes with fractions, from the refusal of a file to bars and daily values over HTTP. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ticklake } from '@ticklake/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { SHIPPED_DEFINITIONS } from '../../src/base/installation.ts';
import { newFolder, runByClock } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';
import { arrowPage } from '../read-arrow.ts';
import { parquetPage } from '../read-parquet-page.ts';
import { drawsOf } from '../seed.ts';

const folder = newFolder();
const home = join(folder.path, 'home');
const run = (...words: string[]) => runByClock(fixedClock('2026-11-27T12:00:00Z'), home, ...words);

const HEADER =
  'TradeDate,Ticker,ASID,EventDateTime,EventType,Price,Quantity,Exchange,ConditionCode';
const SPLIT_DATE = '2026-11-24';
const FACTORS = join(folder.path, 'factors.csv');

interface Trade {
  readonly date: string;
  readonly ticker: string;
  /** `HH:MM:SS` */
  readonly time: string;
  /** Ten-thousandths of a dollar. */
  readonly ticks: number;
  /** Millionths of a share. */
  readonly units: bigint;
  readonly venue: string;
}

const DIGITS = 6;

/** The shortest text of a number of millionths. */
function textOf(units: bigint): string {
  const digits = `${units}`.padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '');
  return `${digits.slice(0, -DIGITS)}${fraction && `.${fraction}`}`;
}

function csvOf(trades: readonly Trade[]): string {
  const rows = trades.map(({ date, ticker, time, ticks, units, venue }) =>
    [date, ticker, 1001, `${date}T${time}`, 'TRADE', ticks / 1e4, textOf(units), venue, 1].join(),
  );
  return `${[HEADER, ...rows].join('\n')}\n`;
}

async function load(dataset: string, name: string, text: string) {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return await run('ingest', dataset, path);
}

const WHOLE_DATE = '2026-11-18';
const DATE = '2026-11-19';
const RANDOM_DATE = '2026-11-20';

const trade = (date: string, ticker: string, time: string, units: bigint): Trade => ({
  ...{ date, ticker, time, units },
  ...{ ticks: 100_000, venue: 'NYSE' },
});
const ONE = 1_000_000n;
const WHOLE = [
  trade(WHOLE_DATE, 'ABCD', '10:00:00', 100n * ONE),
  trade(WHOLE_DATE, 'ABCD', '10:00:01', 9_007_199_254_740_993n * ONE),
];
const FRACTIONAL = [38_700n, 12_500_000n, 100n * ONE].map((units, i) =>
  trade(DATE, 'ABCD', `10:00:00.${i + 1}`, units),
);

/** Sizes from a millionth of a share to more than 2^53 shares. */
function randomTrades(): Trade[] {
  const draws = drawsOf('fractional sizes');
  return Array.from({ length: 600 }, (_, i) => {
    const size = 10 ** draws.uniform(0, draws.chance(0.05) ? 23 : 9);
    const [minute, second] = [Math.floor(i / 20), Math.floor((i % 20) * 3)];
    const clock = `10:${`${minute}`.padStart(2, '0')}:${`${second}`.padStart(2, '0')}`;
    return {
      ...trade(RANDOM_DATE, 'RAND', clock, BigInt(Math.ceil(size)) + BigInt(draws.integer(0, 9))),
      ticks: draws.integer(1, 3_000_000),
      venue: draws.pick(['NYSE', 'FINRA']),
    };
  });
}
const RANDOM = randomTrades();

let service: TestService;
let origin: string;
const said: Record<string, string> = {};

const DERIVED = [
  ...['eq_trades', 'eq_trades_1min', 'eq_daily_ohlc', 'eq_taq_1min', 'eq_taq_1min_ext'],
  ...['eq_taq_daily', 'eq_trades_adj', 'eq_trades_1min_adj', 'eq_daily_ohlc_adj'],
];

beforeAll(async () => {
  expect((await load('eq_taq', 'whole.csv', csvOf(WHOLE))).exitCode).toBe(0);
  const factors = `SecId,ASID,Ticker,EffectiveDate,AdjustmentFactor,AdjustmentReason,EventId\n1,1001,ABCD,${SPLIT_DATE},0.142857142857143,Subdiv,1\n`;
  expect((await load('eq_adj_factors_basic', 'factors.csv', factors)).exitCode).toBe(0);
  expect((await run('derive', ...DERIVED)).exitCode).toBe(0);
  said.refusal = (await load('eq_taq', 'fractional.csv', csvOf(FRACTIONAL))).stderr;
  const widened = await run('dataset', 'widen', 'eq_taq');
  expect([widened.exitCode, widened.stderr]).toEqual([0, '']);
  said.widened = widened.stdout;
  expect((await load('eq_taq', 'fractional.csv', csvOf(FRACTIONAL))).stderr).toBe('');
  expect((await load('eq_taq', 'random.csv', csvOf(RANDOM))).stderr).toBe('');
  const derived = await run('derive', ...DERIVED);
  expect([derived.exitCode, derived.stderr]).toEqual([0, '']);
  service = await openTestService({}, undefined, home);
  origin = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await service.close();
  folder.remove();
});

async function answer(path: string, format = 'csv'): Promise<Buffer> {
  const url = `${origin}/v1/data/us-equity/${path}&response_format=${format}`;
  const response = await fetch(url, { headers: { 'X-API-KEY': service.key } });
  const body = Buffer.from(await response.arrayBuffer());
  expect(response.status, `${url} ${response.status < 400 ? '' : body}`).toBe(200);
  return body;
}

const linesOf = async (path: string) => `${await answer(path)}`.split('\n').slice(1, -1);

it('is told the command that makes sizes decimals when a load is refused', () => {
  expect(said.refusal).toContain('first run ticklake dataset widen eq_taq');
});

it('says of each dataset what became a decimal, and then that nothing is left to do', async () => {
  expect(said.widened).toContain('eq_taq: Quantity as decimal(25, 6)');
  expect(said.widened).toMatch(/eq_daily_ohlc_adj: MarketHoursVolume and 3 more columns as/);
  const again = await run('dataset', 'widen', 'eq_taq');
  expect([again.exitCode, again.stderr]).toEqual([3, expect.stringContaining('eq_taq')]);
});

it.each([
  [['eq_taq', '--digits', '18,6'], 'at least 19 before it, not 18,6'],
  [['eq_taq', '--digits', '25.6'], '--digits must be such as 25,6'],
  [['eq_announce'], 'eq_announce has no sizes or volumes'],
  [['eq_tak'], 'there is no dataset eq_tak'],
])('refuses %j with exit code 2', async (words, text) => {
  const { exitCode, stderr } = await run('dataset', 'widen', ...words);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
});

const SUM = '112.5387';
const DAY = `TradeDate=${DATE}&columns=`;
const SUMS: Readonly<Record<string, string>> = {
  'eq-trades-1min?Ticker=ABCD': 'Volume',
  'eq-daily-ohlc?Ticker=ABCD': 'DailyVolume',
  'eq-taq-1min/ABCD?BarDateTime=2026-11-19T10:00:00': 'Volume',
  'eq-taq-daily?Ticker=ABCD': 'TotalVolume',
};

describe.each(Object.entries(SUMS))('the sum in %s', (path, column) => {
  const asked = `${path}&${DAY}${column}`;

  it('is exact as text', async () => {
    expect(await linesOf(asked)).toEqual([SUM]);
    expect(`${await answer(asked, 'json')}`).toContain(`"${column}":${SUM}`);
  });

  it('is a decimal in Arrow and Parquet', async () => {
    const arrow = arrowPage(await answer(asked, 'arrow'));
    expect([arrow.types, arrow.rows]).toEqual([['Decimal<25, 6>'], [[112_538_700n]]]);
    expect((await parquetPage(await answer(asked, 'parquet'))).rows).toEqual([[112_538_700n]]);
  });
});

it('has each size as it was loaded, and whole ones as they were before', async () => {
  const ticks = (date: string) => linesOf(`eq-trades/${date}/ABCD?columns=Quantity`);
  expect(await ticks(DATE)).toEqual(['0.0387', '12.5', '100']);
  expect(await ticks(WHOLE_DATE)).toEqual(['100', '9007199254740993']);
  const day = `eq-daily-ohlc?Ticker=ABCD&TradeDate=${WHOLE_DATE}&columns=DailyVolume`;
  expect(await linesOf(day)).toEqual(['9007199254741093']);
  expect(await linesOf(`${day}&dataset_version=1`)).toEqual(['9007199254741093']);
});

it('finds rows by a fraction', async () => {
  const found = `eq-trades/${DATE}/ABCD?Quantity.lt=12.500001&columns=Quantity`;
  expect(await linesOf(found)).toEqual(['0.0387', '12.5']);
});

it('has earlier versions with the types that they had', async () => {
  const typesOf = async (version: number) => {
    const page = await answer(
      `eq-daily-ohlc?Ticker=ABCD&columns=DailyVolume&dataset_version=${version}`,
      'arrow',
    );
    return arrowPage(page).types;
  };
  expect([await typesOf(1), await typesOf(2)]).toEqual([['Int64'], ['Decimal<25, 6>']]);
});

it('adjusts sizes by a split without losing a share', async () => {
  const adjusted = 'Ticker=ABCD&adjusted=true&columns=';
  const daily = [`${9_007_199_254_741_093n * 7n}`, '787.7709'];
  expect(await linesOf(`eq-daily-ohlc?${adjusted}DailyVolume`)).toEqual(daily);
  expect(await linesOf(`eq-daily-ohlc?${adjusted}DailyVolume&adjustments=splits`)).toEqual(daily);
  expect(await linesOf(`eq-trades/${DATE}/ABCD?adjusted=true&columns=Quantity`)).toEqual([
    '0.2709',
    '87.5',
    '700',
  ]);
});

/** Half a unit goes to the even one. */
function roundedRatio(numerator: bigint, denominator: bigint): bigint {
  const [whole, rest] = [numerator / denominator, numerator % denominator];
  const twice = 2n * rest;
  const isUp = twice > denominator || (twice === denominator && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}

/** Volume and average price of trades, as text. */
function expectedOf(trades: readonly Trade[]): string {
  const sum = trades.reduce((total, { units }) => total + units, 0n);
  const worth = trades.reduce((total, { ticks, units }) => total + BigInt(ticks) * units, 0n);
  return `${textOf(sum)},${Number(roundedRatio(worth * 100n, sum)) / 1e6}`;
}

describe('random sizes', () => {
  const minutes = [...Map.groupBy(RANDOM, ({ time }) => time.slice(0, 5)).values()];
  const rows = 'Ticker=RAND&columns=';

  it('have exact sums and average prices in minute bars', async () => {
    const bars = await linesOf(`eq-trades-1min?${rows}Volume,VolumeWeightPrice`);
    expect(bars).toEqual(minutes.map(expectedOf));
  });

  it('have exact sums in longer bars', async () => {
    const tens = [...Map.groupBy(RANDOM, ({ time }) => time.slice(0, 4)).values()];
    const bars = await linesOf(`eq-trades-1min?${rows}Volume&interval=10m`);
    expect(bars).toEqual(tens.map((trades) => expectedOf(trades).split(',')[0]));
  });

  it('have exact sums and average prices in daily values', async () => {
    const columns = 'DailyVolume,DailyVWAP,DailyFinraVolume';
    const finra = RANDOM.filter(({ venue }) => venue === 'FINRA');
    expect(await linesOf(`eq-daily-ohlc?${rows}${columns}`)).toEqual([
      `${expectedOf(RANDOM)},${expectedOf(finra).split(',')[0]}`,
    ]);
  });

  it('have exact sums by venue in quote bars', async () => {
    const bars = await linesOf(
      `eq-taq-1min/RAND?BarDateTime.ge=2026-11-20T10:00:00&BarDateTime.lt=2026-11-20T10:30:00&columns=Volume,FinraVolume`,
    );
    const volumeOf = (trades: readonly Trade[], venue: string) =>
      textOf(trades.reduce((sum, each) => sum + (each.venue === venue ? each.units : 0n), 0n));
    expect(bars).toEqual(
      minutes.map((trades) => `${volumeOf(trades, 'NYSE')},${volumeOf(trades, 'FINRA')}`),
    );
  });
});

it('is refused by derive, with the way out, where what is computed is narrower', async () => {
  const other = join(folder.path, 'other');
  const runThere = (...words: string[]) =>
    runByClock(fixedClock('2026-11-27T12:00:00Z'), other, ...words);
  writeFileSync(join(folder.path, 'more.csv'), csvOf(FRACTIONAL));
  await runThere('ingest', 'eq_adj_factors_basic', FACTORS);
  const shipped = readFileSync(join(SHIPPED_DEFINITIONS, 'eq_trades.yaml'), 'utf8');
  const wide = shipped.replace(
    /name: Quantity\n {4}type: integer/,
    'name: Quantity\n    type: decimal\n    precision: 25\n    scale: 6',
  );
  mkdirSync(join(other, 'datasets'));
  writeFileSync(join(other, 'datasets', 'eq_trades.yaml'), wide);
  await runThere('ingest', 'eq_trades', join(folder.path, 'more.csv'));
  const { exitCode, stderr } = await runThere('derive', 'eq_trades_1min');
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(
      'Quantity of eq_trades is decimal(25, 6), but Volume is integer; first run ticklake dataset widen eq_trades --digits 25,6',
    ),
  ]);
  await runThere('dataset', 'widen', 'eq_trades', '--digits', '25,6');
  expect((await runThere('derive', 'eq_trades_1min')).exitCode).toBe(0);
});

/** Ticks and derived values of futures and options, in fractions of contracts. */
describe('futures and options', () => {
  const FUTURES_HEADER =
    'TradeDate,EventDateTime,Ticker,BaseSymbol,SecurityID,EventType,Price,Quantity,Orders,Flags,TypeMask';
  const futures = (ticker: string, time: string, type: string, quantity: string) =>
    [DATE, `${DATE}T${time}`, ticker, 'ES', 7, type, 100, quantity, 1, 0, 0].join();
  const OPTIONS_HEADER =
    'TradeDate,EventDateTime,Ticker,CallPut,Strike,ExpirationDate,EventType,Side,Action,Price,Quantity,Exchange,ConditionCode,UnderBidPrice,UnderAskPrice';
  const options = (side: string, action: string, quantity: string) =>
    [
      ...[DATE, `${DATE}T15:30:00`, 'ABCD', 'C', 20, '2027-05-08', '', side, action, 1.5, quantity],
      ...['CBOE', 'I', 99.99, 100.01],
    ].join();
  const derived = ['fut_trades', 'fut_trades_1min', 'fut_daily', 'opt_trades', 'opt_trades_1min'];
  const other = join(folder.path, 'derivatives');
  let of: TestService;

  beforeAll(async () => {
    const runThere = async (...words: string[]) => {
      const clock = fixedClock('2026-11-27T12:00:00Z');
      const { exitCode, stderr } = await runByClock(clock, other, ...words);
      expect([exitCode, stderr]).toEqual([0, '']);
    };
    const files = {
      fut_taq: [
        FUTURES_HEADER,
        futures('ESZ6', '10:00:00', 'TRADE', '0.0387'),
        futures('ESZ6', '10:00:01', 'TRADE AGRESSOR ON BUY', '12.5'),
        futures('ESZ6', '10:01:00', 'TRADE', '100'),
        futures('ESZ6', '10:02:00', 'OPEN INTEREST', '7.25'),
      ],
      opt_tanq: [
        OPTIONS_HEADER,
        options('B', 'FQ NB', '0.25'),
        options('A', 'FQ NB', '0.5'),
        options('', 'T', '0.0387'),
        options('', 'T', '12.5'),
      ],
    };
    for (const [dataset, lines] of Object.entries(files)) {
      const path = join(folder.path, `${dataset}.csv`);
      writeFileSync(path, `${lines.join('\n')}\n`);
      if (dataset === 'fut_taq') await runThere('ingest', 'eq_adj_factors_basic', FACTORS);
      await runThere('dataset', 'widen', dataset);
      await runThere('ingest', dataset, path);
    }
    await runThere('derive', ...derived);
    of = await openTestService({}, undefined, other);
  });
  afterAll(() => of.close());

  it.each([
    [
      'us-futures/fut-trades-1min?Ticker=ESZ6&columns=TotalQuantity,BuyAggressorQuantity',
      ['12.5387,12.5', '100,0'],
    ],
    ['us-futures/fut-daily?Ticker=ESZ6&columns=TotalQuantity,OpenInterest', ['112.5387,7.25']],
    ['us-futures/fut-trades-1min?Ticker=ESZ6&interval=1d&columns=TotalQuantity', [SUM]],
    ['us-futures/fut-trades-1min?Ticker=ES.c.0&interval=1h&columns=TotalQuantity', [SUM]],
    [
      `us-equity-opt/opt-trades/${DATE}/ABCD?columns=Quantity,BidSize,AskSize`,
      ['0.0387,0.25,0.5', '12.5,0.25,0.5'],
    ],
    ['us-equity-opt/opt-trades-1min?Ticker=ABCD&columns=Volume,VolumeWeightPrice', ['12.5387,1.5']],
  ])('have the exact sizes of %s', async (path, rows) => {
    const { body, statusCode } = await of.get(`/v1/data/${path}&response_format=csv`);
    expect([statusCode, body.split('\n').slice(1, -1)]).toEqual([200, rows]);
  });
});

describe('clients', () => {
  it('are told the types of each version by Delta Sharing', async () => {
    const typeIn = async (words: object) => {
      const url = `${origin}/v1/delta-sharing/shares/everything/schemas/equity/tables/eq_daily_ohlc/query`;
      const headers = {
        authorization: `Bearer ${service.key}`,
        'content-type': 'application/json',
      };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(words) });
      const [, metadata = ''] = (await response.text()).split('\n');
      const { fields } = JSON.parse(JSON.parse(metadata).metaData.schemaString);
      return fields.find(({ name }: { name: string }) => name === 'DailyVolume').type;
    };
    expect([await typeIn({ version: 1 }), await typeIn({})]).toEqual(['long', 'decimal(25,6)']);
  });

  it('have decimals as text in TypeScript', async () => {
    const client = new Ticklake({ url: origin, key: service.key });
    const asked = { where: { Ticker: 'ABCD', TradeDate: DATE }, columns: ['DailyVolume'] };
    const rows = await Array.fromAsync(client.dataset('eq_daily_ohlc').read(asked));
    expect(rows).toEqual([{ DailyVolume: SUM }]);
  });
});
