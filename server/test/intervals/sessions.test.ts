/**
 * Trading at night through the whole product: ticks of any hour get bars and daily values that
 * agree with a plain count, and each session can be read alone.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHalfDay, isTradingDay } from '@ticklake/market/calendar.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandOutput, newFolder, runCommand } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { expectCameAcross } from '../seed.ts';

liftTimeLimits();

interface Trade {
  readonly tradeDate: string;
  /** Local time in New York, without an offset. */
  readonly time: string;
  readonly shares: number;
}

const HEADER =
  'TradeDate,Ticker,ASID,EventDateTime,EventType,Price,Quantity,Exchange,ConditionCode';
const lineOf = ({ tradeDate, time, shares }: Trade) =>
  `${tradeDate},ABCD,1001,${time},TRADE,10,${shares},NYSE,1`;

const files = newFolder();
let service: TestService;
let origin: string;
/** The derivation of all trades. */
let derived: CommandOutput;
afterAll(async () => {
  await service.close();
  files.remove();
});

const run = (...words: string[]) => runCommand(service.services.config.home, ...words);

function load(trades: readonly Trade[]) {
  const path = join(files.path, 'ticks.csv');
  writeFileSync(path, [HEADER, ...trades.map(lineOf), ''].join('\n'));
  return run('ingest', 'eq_taq', path);
}

const DERIVED = ['eq_trades', 'eq_trades_1min', 'eq_daily_ohlc', 'eq_taq_1min'];

type Row = Readonly<Record<string, string | number | null>>;

async function read(path: string): Promise<Row[]> {
  const answer = await fetch(`${origin}/v1/data/us-equity/${path}`, {
    headers: { 'x-api-key': service.key },
  });
  const body = (await answer.json()) as { data: Row[] };
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(body)}`);
  return body.data;
}

const bars = (query: string) => read(`eq-trades-1min?Ticker=ABCD&period=20Y&${query}`);

/** Around both changes of the clock, weekends, holidays and a half day. */
const DATES = [
  ...['2024-03-08', '2024-03-11', '2024-07-03', '2024-07-05', '2024-11-01', '2024-11-04'],
  ...['2024-11-29', '2025-01-17', '2025-01-21', '2025-04-17', '2025-04-21'],
];
const HOURS: readonly (readonly [name: string | null, minutes: readonly number[]])[] = [
  ['overnight', [-240, -165, -1, 0, 150, 239]],
  ['extended', [240, 569]],
  ['regular', [570, 779]],
  ['extended', [960, 1199]],
  [null, [1200, 1439]],
];

/** A local time so many minutes after the midnight of a date. */
const timeOf = (date: string, minutes: number) =>
  Temporal.PlainDateTime.from(date)
    .add({ minutes })
    .add({ seconds: 3 })
    .toString({ smallestUnit: 'second' });

/** By the hours on the wall clock alone: no table of the server is asked. */
function sessionOf({ tradeDate, time }: Trade): string | null {
  const clock = time.slice(11, 16);
  if (time < tradeDate) return clock >= '20:00' ? 'overnight' : null;
  if (clock < '04:00') return 'overnight';
  if (clock >= '20:00') return null;
  const regularEnd = isHalfDay(tradeDate) ? '13:00' : '16:00';
  return clock >= '09:30' && clock < regularEnd ? 'regular' : 'extended';
}

const [TRADES = []] = fc
  .sample(
    fc.array(
      fc.record({
        tradeDate: fc.constantFrom(...DATES),
        hours: fc.constantFrom(...HOURS),
        place: fc.nat({ max: 5 }),
        shares: fc.integer({ min: 1, max: 900 }),
      }),
      { minLength: 120, maxLength: 120 },
    ),
    1,
  )
  .map((drawn) =>
    drawn
      .map(({ tradeDate, hours: [, minutes], place, shares }) => ({
        ...{ tradeDate, shares },
        time: timeOf(tradeDate, minutes[place % minutes.length] as number),
      }))
      .sort((a, b) => (`${a.tradeDate}${a.time}` < `${b.tradeDate}${b.time}` ? -1 : 1)),
  );

const words = (count = 0, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

function sums(trades: readonly Trade[], keyOf: (trade: Trade) => string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const trade of trades) found[keyOf(trade)] = (found[keyOf(trade)] ?? 0) + trade.shares;
  return found;
}

const sumsOfBars = (rows: readonly Row[], keyOf: (row: Row) => string) => {
  const found: Record<string, number> = {};
  for (const row of rows) found[keyOf(row)] = (found[keyOf(row)] ?? 0) + (row.Volume as number);
  return found;
};
const minuteOf = (row: Row) => `${row.TradeDate} ${(row.BarDateTime as string).slice(0, 16)}`;

beforeAll(async () => {
  service = await openTestService();
  origin = await service.app.listen({ port: 0, host: '127.0.0.1' });
  expect(await load(TRADES)).toMatchObject({ exitCode: 0 });
  derived = await run('derive', ...DERIVED, '--json');
  expect(derived).toMatchObject({ exitCode: 0 });
});

describe('trades of any hour', () => {
  const inSession = TRADES.filter((trade) => sessionOf(trade) !== null);

  test('are in the bar of their minute and of their trade date, if they lie in a session', async () => {
    expect(sumsOfBars(await bars('limit=10000'), minuteOf)).toEqual(
      sums(inSession, ({ tradeDate, time }) => `${tradeDate} ${time.slice(0, 16)}`),
    );
  });

  test.each(['regular', 'extended', 'overnight'])(
    'are read alone by session=%s',
    async (session) => {
      const own = inSession.filter((trade) => sessionOf(trade) === session);
      const expected = sums(own, ({ tradeDate, time }) => `${tradeDate} ${time.slice(0, 16)}`);
      expectCameAcross({ [session]: own.length });
      const rows = await bars(`limit=10000&session=${session}`);
      expect(sumsOfBars(rows, minuteOf)).toEqual(expected);
      const days = await bars(`session=${session}&interval=1d`);
      const ofDays = sums(own, ({ tradeDate }) => tradeDate);
      expect(sumsOfBars(days, ({ TradeDate }) => `${TradeDate}`)).toEqual(ofDays);
      const path = '/v1/data/us-equity/eq-trades-1min/aggregate?Ticker=ABCD&period=20Y';
      const query = `session=${session}&by=TradeDate&select=sum(Volume)`;
      const groups: Row[] = (await service.get(`${path}&${query}`)).json().data;
      const grouped = groups.map((row) => [row.TradeDate, row['sum(Volume)']]);
      expect(Object.fromEntries(grouped)).toEqual(ofDays);
    },
  );

  test('are in the hour that is counted from the beginning of their session', async () => {
    const hourOf = (trade: Trade) => {
      const session = sessionOf(trade) as string;
      const isLate = session === 'extended' && trade.time.slice(11, 16) >= '13:00';
      const evening = Temporal.PlainDate.from(trade.tradeDate).subtract({ days: 1 });
      const afternoon = isHalfDay(trade.tradeDate) ? '13:00' : '16:00';
      const begins = {
        overnight: `${evening}T20:00`,
        extended: `${trade.tradeDate}T${isLate ? afternoon : '04:00'}`,
        regular: `${trade.tradeDate}T09:30`,
      }[session] as string;
      const passed = Temporal.PlainDateTime.from(begins).until(trade.time, {
        largestUnit: 'hours',
      });
      const start = Temporal.PlainDateTime.from(begins).add({ hours: passed.hours });
      return `${trade.tradeDate} ${start.toString({ smallestUnit: 'minute' })}`;
    };
    const rows = await bars('limit=10000&interval=1h');
    expect(sumsOfBars(rows, minuteOf)).toEqual(sums(inSession, hourOf));
  });

  test('have another tag for each session, so that no page of another one is taken for it', async () => {
    const asked = ['', '&session=regular', '&session=extended', '&session=overnight'];
    const get = (session: string, tag = '') =>
      fetch(`${origin}/v1/data/us-equity/eq-trades-1min?Ticker=ABCD&period=20Y${session}`, {
        headers: { 'x-api-key': service.key, 'if-none-match': tag },
      });
    const tags = await Promise.all(
      asked.map(async (session) => (await get(session)).headers.get('etag') ?? ''),
    );
    expect(new Set(tags).size).toBe(asked.length);
    for (const [at, tag] of tags.entries()) {
      const statuses = asked.map(async (session) => (await get(session, tag)).status);
      expect(await Promise.all(statuses)).toEqual(asked.map((_, n) => (n === at ? 304 : 200)));
    }
  });

  test('come in pages and sorted as they do without pages', async () => {
    const all = await bars('session=overnight&limit=10000');
    const pages: Row[] = [];
    for (let offset = 0; offset < all.length; offset += 3) {
      pages.push(...(await bars(`session=overnight&limit=3&offset=${offset}&columns=Volume`)));
    }
    expect(pages).toEqual(all.map(({ Volume }) => ({ Volume })));
    const sorted = await bars('session=overnight&limit=10000&sort=-Volume&columns=Volume');
    expect(sorted.map(({ Volume }) => Volume)).toEqual(
      all.map(({ Volume }) => Volume as number).sort((a, b) => b - a),
    );
  });

  test('get a hint of a ticker in upper case, and none of a variant with rows of other sessions', async () => {
    const hintOf = async (query: string) => {
      const headers = { 'x-api-key': service.key };
      const path = `eq-trades-1min?period=20Y&${query}`;
      const answer = await fetch(`${origin}/v1/data/us-equity/${path}`, { headers });
      expect(await answer.json()).toMatchObject({ data: [] });
      return answer.headers.get('x-hint');
    };
    expect(await hintOf('Ticker=abcd&session=overnight')).toContain("there are rows for 'ABCD'");
    const variant = 'Ticker=ABCD&aggregation_logic=industry_std';
    expect(await hintOf(variant)).toContain('This variant has no such rows');
    expect((await hintOf(`${variant}&session=overnight`)) ?? '').not.toContain('variant');
  });

  test('are all in the daily volume, and the bars and the warnings have its shares', async () => {
    const days = await read('eq-daily-ohlc?Ticker=ABCD&period=20Y&limit=100');
    const withRow = days.map(({ TradeDate }) => `${TradeDate}`);
    const trades = TRADES.filter(({ tradeDate }) => withRow.includes(tradeDate));
    expect(days.length).toBeGreaterThan(0);
    expect(Object.fromEntries(days.map((row) => [row.TradeDate, row.DailyVolume]))).toEqual(
      sums(trades, ({ tradeDate }) => tradeDate),
    );
    const outside = TRADES.filter((trade) => sessionOf(trade) === null);
    const counts = sums(
      outside.map((trade) => ({ ...trade, shares: 1 })),
      ({ tradeDate }) => tradeDate,
    );
    const shares = sums(outside, ({ tradeDate }) => tradeDate);
    for (const [date, count] of Object.entries(counts)) {
      expect(derived.stdout + derived.stderr).toContain(
        `${date} ABCD: ${words(count, 'trade')} outside of the sessions, ${words(shares[date], 'share')} in all`,
      );
    }
  });

  test('make quote bars of the whole night if one of them lies in it', async () => {
    const traded = [...new Set(TRADES.map(({ tradeDate }) => tradeDate))];
    const nights = new Set(
      TRADES.filter((trade) => sessionOf(trade) === 'overnight').map(({ tradeDate }) => tradeDate),
    );
    const counts: Record<string, number> = {};
    for (const date of traded) {
      const rows = await read(`eq-taq-1min/ABCD?TradeDate=${date}&limit=2000&columns=TradeDate`);
      counts[date] = rows.length;
    }
    expect(counts).toEqual(
      Object.fromEntries(traded.map((date) => [date, nights.has(date) ? 1440 : 960])),
    );
  });
});

describe('a load', () => {
  test('takes a night as that of the next trade date: after a Thursday, a Sunday and a holiday', async () => {
    const nights = [
      ['2025-06-12', '2025-06-13'],
      ['2025-06-15', '2025-06-16'],
      ['2025-05-26', '2025-05-27'],
    ] as const;
    const trades = nights.map(([evening, tradeDate]) => {
      return { tradeDate, time: timeOf(evening, 21 * 60 + 15), shares: 9 };
    });
    expect(await load(trades)).toMatchObject({ exitCode: 0 });
    expect(await run('derive', ...DERIVED)).toMatchObject({ exitCode: 0 });
    for (const [evening, date] of nights) {
      expect(isTradingDay(date)).toBe(true);
      const rows = await bars(`TradeDate=${date}&session=overnight`);
      expect(rows).toMatchObject([{ TradeDate: date, Volume: 9 }]);
      expect(rows[0]?.BarDateTime).toBe(`${evening}T21:15:00-04:00`);
      for (const [session, count] of Object.entries({ regular: 1, overnight: 0 })) {
        const query = `Ticker.in=ABCD&TradeDate=${date}&session=${session}`;
        const page = await service.get(`/v1/data/us-equity/eq-trades-1min?${query}`);
        const files = await service.get(`/v1/bulk/us-equity/eq-trades-1min?${query}`);
        expect(page.headers['x-missing']).toMatch(new RegExp(`^${count} of 1`));
        expect(files.json().missing).toMatchObject({ count, of: 1 });
      }
    }
  });

  test('gives rows of a Sunday evening the date of the Monday, and tells of it', async () => {
    const sunday = { tradeDate: '2025-06-08', time: timeOf('2025-06-08', 21 * 60 + 15), shares: 9 };
    const { exitCode, stdout } = await load([sunday]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'TradeDate is the trade date of the night; found 1 row of 2025-06-08, no trading day, now of 2025-06-09',
    );
    const rows = await read('eq-taq/2025-06-09/ABCD');
    expect(rows).toMatchObject([
      {
        TradeDate: '2025-06-09',
        EventDateTime: '2025-06-08T21:15:03.000000000-04:00',
        Quantity: 9,
      },
    ]);
    const early = { ...sunday, time: timeOf('2025-06-08', 19 * 60 + 59) };
    expect(await load([early])).toMatchObject({ exitCode: 2 });
  });

  test('keeps rows of the evening of a trading day, as late reports are', async () => {
    const late = { tradeDate: '2025-06-11', time: timeOf('2025-06-11', 20 * 60), shares: 9 };
    expect(await load([late])).toMatchObject({ exitCode: 0 });
    expect(await read('eq-taq/2025-06-11/ABCD')).toMatchObject([{ TradeDate: '2025-06-11' }]);
  });

  test.each([
    ['before the night begins', '2025-06-13', '2025-06-12', 19 * 60 + 59],
    ['two days before its trade date', '2025-06-16', '2025-06-14', 21 * 60],
  ])('refuses a time %s, and says what would be right', async (_, tradeDate, day, minutes) => {
    const refused = await load([{ tradeDate, time: timeOf(day, minutes), shares: 9 }]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('or from 20:00 on the day before');
  });
});

test('session is refused where bars have no sessions, with the legal values elsewhere', async () => {
  const problemOf = async (path: string) => {
    const answer = await service.get(`/v1/data/${path}`);
    return { status: answer.statusCode, text: answer.body };
  };
  for (const path of [
    'us-equity/eq-daily-ohlc?Ticker=ABCD',
    `us-equity/eq-taq/2025-06-13/ABCD?`,
    'us-futures/fut-trades-1min?Ticker=ESU5',
    'us-equity-opt/opt-trades-1min?Ticker=ABCD',
  ]) {
    const { status, text } = await problemOf(`${path}&session=regular`);
    expect(status).toBe(422);
    expect(text).toContain('session does not apply to this dataset');
  }
  const { status, text } = await problemOf('us-equity/eq-trades-1min?Ticker=ABCD&session=night');
  expect(status).toBe(422);
  expect(text).toContain("'regular', 'extended' or 'overnight'");
});
