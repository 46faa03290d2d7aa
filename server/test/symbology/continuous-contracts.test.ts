/**
 * Continuous futures contracts over HTTP: rows of the contracts holding the rank, within the rules.
 */
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { laterOf } from '../../src/request/literals.ts';
import { openTestService, type TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { writing } from '../writing.ts';

liftTimeLimits();

type Cells = Readonly<Record<string, CellValue>>;

interface Day {
  readonly date: string;
  readonly ticker: string;
  readonly quantity: number;
  readonly open: number | null;
}

const BARS = '/us-futures/trades-1min';
const TICKS = '/us-futures/taq';
/**
 * Friday to Friday. `XQIH5` expires; `XQIM5` leads volume from the 17th and open interest from the
 * 18th.
 */
const DAYS: readonly Day[] = [
  ['2025-03-14', 'XQIH5', 90, 500],
  ['2025-03-14', 'XQIM5', 10, 300],
  ['2025-03-16', 'XQIH5', 1, null],
  ['2025-03-16', 'XQIM5', 2, null],
  ['2025-03-17', 'XQIH5', 40, 450],
  ['2025-03-17', 'XQIM5', 60, 440],
  ['2025-03-18', 'XQIH5', 30, 300],
  ['2025-03-18', 'XQIM5', 70, 460],
  ['2025-03-19', 'XQIH5', 80, 200],
  ['2025-03-19', 'XQIM5', 75, 480],
  ['2025-03-20', 'XQIM5', 90, 500],
  ['2025-03-20', 'XQIU5', 4, 20],
  ['2025-03-21', 'XQIM5', 95, 520],
].map(([date, ticker, quantity, open]) => ({ date, ticker, quantity, open }) as Day);

/** Worked out by hand. */
const HELD: Readonly<Record<string, string>> = {
  'XQI.c.0': 'XQIH5 2025-03-14/2025-03-19, XQIM5 2025-03-20/2025-03-21',
  'XQI.c.1': 'XQIM5 2025-03-14/2025-03-19, XQIU5 2025-03-20/2025-03-20',
  'XQI.v.0': 'XQIH5 2025-03-16/2025-03-17, XQIM5 2025-03-18/2025-03-21',
  'XQI.n.0': 'XQIH5 2025-03-16/2025-03-18, XQIM5 2025-03-19/2025-03-21',
};

let service: TestService;
let readerCount = 0;

function publish(textId: string, rows: readonly Cells[]): Promise<void> {
  const { columns } = service.dataset(textId);
  return service.publish(
    textId,
    rows.map((row) => columns.map(({ name }) => row[name] ?? null)),
  );
}

const moment = (date: string, minute: number) =>
  BigInt(Date.parse(`${date}T20:00:00Z`) + minute * 60_000) * 1_000_000n;

async function publishDays(days: readonly Day[]): Promise<void> {
  const rows = days.map(({ date, ticker, quantity, open }) => ({
    ...{ TradeDate: date, Ticker: ticker, BaseSymbol: 'XQI', TotalQuantity: BigInt(quantity) },
    OpenInterest: open === null ? null : BigInt(open),
  }));
  await publish('fut_daily', [
    ...rows,
    {
      TradeDate: '2025-03-14',
      Ticker: 'XQNM5',
      BaseSymbol: 'XQN',
      TotalQuantity: 1n,
      OpenInterest: 1n,
    },
  ]);
}

async function keyWith(
  rules: Readonly<
    Record<string, { readonly universe?: readonly string[]; readonly from?: string }>
  >,
): Promise<string> {
  const { accountId, key } = await service.addAccount(`futures reader ${readerCount++}`);
  for (const [textId, { universe = [], from = '1900-01-01' }] of Object.entries(rules)) {
    const { datasetId } = service.dataset(textId);
    const rule = { accountId, datasetId, startDate: from, endDate: null, universe };
    await writing(service.services.store).rules.add(rule);
  }
  return key;
}

beforeAll(async () => {
  service = await openTestService();
  await publishDays(DAYS);
  const keys = DAYS.map(({ date, ticker }) => ({
    TradeDate: date,
    Ticker: ticker,
    BaseSymbol: 'XQI',
  }));
  await publish(
    'fut_trades_1min',
    keys.flatMap((key) =>
      [0, 1].map((minute) => ({
        ...key,
        BarDateTime: moment(key.TradeDate, minute),
        TotalQuantity: 1n,
      })),
    ),
  );
  await publish(
    'fut_taq',
    keys.map((key) => ({ ...key, EventDateTime: moment(key.TradeDate, 0), EventType: 'TRADE' })),
  );
});
afterAll(() => service.close());

async function ask(path: string, key = service.key) {
  return await service.get(`/v1/data${path}`, { 'x-api-key': key });
}

async function rowsOf(path: string, key = service.key): Promise<string[]> {
  const answer = await ask(path, key);
  expect(answer.statusCode, answer.body).toBe(200);
  const { data } = answer.json() as { data: Record<string, unknown>[] };
  return data.map(({ TradeDate, Ticker }) => `${TradeDate} ${Ticker}`);
}

/** Both bars of each day on which the contract holds the rank. */
function expectedBars(symbol: string, keeps: (day: Day) => boolean): string[] {
  const spans = (HELD[symbol] as string).split(', ').map((span) => span.split(/[ /]/));
  const isHeld = ({ date, ticker }: Day) =>
    spans.some(([name, start = '', end = '']) => name === ticker && start <= date && date <= end);
  return DAYS.filter((day) => isHeld(day) && keeps(day)).flatMap(({ date, ticker }) => [
    `${date} ${ticker}`,
    `${date} ${ticker}`,
  ]);
}

describe('a continuous contract', () => {
  it.each(Object.entries(HELD))('%s has the bars of %s', async (symbol, held) => {
    const answer = await ask(`${BARS}?Ticker=${symbol}`);
    expect(answer.headers['x-rolls']).toBe(held);
    expect(answer.headers['x-rolls-version']).toBe('1');
    expect(await rowsOf(`${BARS}?Ticker=${symbol}`)).toEqual(expectedBars(symbol, () => true));
    expect(await rowsOf(`${BARS}?Ticker.in=${symbol}`)).toEqual(expectedBars(symbol, () => true));
  });

  it('goes into the path of ticks', async () => {
    expect(await rowsOf(`${TICKS}/2025-03-17/XQI.c.0`)).toEqual(['2025-03-17 XQIH5']);
    expect(await rowsOf(`${TICKS}/2025-03-18/XQI.v.0`)).toEqual(['2025-03-18 XQIM5']);
    const gap = await ask(`${TICKS}/2025-03-14/XQI.v.0`);
    expect([gap.statusCode, gap.json().data]).toEqual([200, []]);
    expect(gap.headers['x-hint']).toBe(
      "'XQI.v.0' has no contract from 2025-03-14 to 2025-03-14. No contract of the root traded on the 3 weekdays before",
    );
  });

  it('is one of its own dataset of daily values, too', async () => {
    const days = await rowsOf('/us-futures/daily?Ticker=XQI.c.1');
    expect(days).toHaveLength(6);
  });

  it('is put together to longer bars', async () => {
    const bars = await rowsOf(`${BARS}?Ticker=XQI.c.0&interval=1h&columns=TradeDate,Ticker`);
    expect(bars).toEqual([...new Set(expectedBars('XQI.c.0', () => true))]);
  });
});

describe('bars of whole sessions', () => {
  /** Market times. Each has a distinct volume, so that a sum identifies the bars in it. */
  const CLOCKS = { '00:30': 1n, '15:00': 2n, '17:30': 4n, '23:30': 8n };

  const localNanos = (date: string, clock: string) =>
    Temporal.PlainDateTime.from(`${date}T${clock}`).toZonedDateTime('America/Chicago')
      .epochNanoseconds;

  beforeAll(async () => {
    const rows = DAYS.flatMap(({ date, ticker }) =>
      Object.entries(CLOCKS).map(([clock, Volume]) => {
        const BarDateTime = localNanos(date, clock);
        return { TradeDate: date, Ticker: ticker, BaseSymbol: 'XQI', BarDateTime, Volume };
      }),
    );
    // A contract with rows of the session of the 20th alone.
    const of = { TradeDate: '2025-03-20', Ticker: 'XQIZ5', BaseSymbol: 'XQI' };
    rows.push({ ...of, BarDateTime: localNanos('2025-03-20', '15:00'), Volume: 2n });
    await publish('fut_taq_1min', rows);
  });

  async function barsOf(symbol: string, query: string): Promise<string[]> {
    const answer = await ask(`/us-futures/taq-1min/${symbol}?${query}`);
    expect(answer.statusCode, answer.body).toBe(200);
    const { data } = answer.json() as { data: Record<string, string | number>[] };
    return data.map(({ BarDateTime, TradeDate, Ticker, Volume }) =>
      [TradeDate, `${BarDateTime}`.slice(11, 16), Ticker, Volume].join(' '),
    );
  }

  it('are of the contract of the date of the session, from the evening before on', async () => {
    expect(await barsOf('XQI.v.0', 'interval=1d')).toEqual([
      // Rows of Friday evening and Sunday, too, whose dates have other contracts or none.
      '2025-03-17 17:00 XQIH5 30',
      '2025-03-18 17:00 XQIM5 15',
      '2025-03-19 17:00 XQIM5 15',
      '2025-03-20 17:00 XQIM5 15',
      '2025-03-21 17:00 XQIM5 15',
      // The evening of the last date that is ranked.
      '2025-03-24 17:00 XQIM5 12',
    ]);
    expect(await barsOf('XQI.c.0', 'interval=1d')).toEqual([
      '2025-03-14 17:00 XQIH5 3',
      '2025-03-17 17:00 XQIH5 30',
      '2025-03-18 17:00 XQIH5 15',
      '2025-03-19 17:00 XQIH5 15',
      '2025-03-20 17:00 XQIM5 15',
      '2025-03-21 17:00 XQIM5 15',
      '2025-03-24 17:00 XQIM5 12',
    ]);
  });

  it('are there for the session after the last ranked date, of the contract of its ranks so far', async () => {
    await publishDays(DAYS.filter(({ date }) => date <= '2025-03-17'));
    const { headers } = await ask('/us-futures/taq-1min/XQI.v.0');
    await publishDays(DAYS);
    const lastOf = async (symbol: string, query: string) =>
      (await barsOf(symbol, `rolls_version=${headers['x-rolls-version']}&${query}`)).at(-1);
    expect(await lastOf('XQI.c.0', 'interval=1d')).toBe('2025-03-18 17:00 XQIH5 15');
    expect(await lastOf('XQI.n.0', 'interval=1d')).toBe('2025-03-18 17:00 XQIH5 15');
    // More of it was traded on the 17th.
    expect(await lastOf('XQI.v.0', 'interval=1d')).toBe('2025-03-18 17:00 XQIM5 15');
    const day = 'TradeDate=2025-03-17';
    expect(await lastOf('XQI.v.0', `interval=2h&${day}`)).toBe('2025-03-17 23:00 XQIM5 8');
  });

  it('are whole on dates that a request names, which are those of sessions', async () => {
    const named = async (symbol: string, dates: string) =>
      await barsOf(symbol, `interval=1d&${dates}`);
    const monday = ['2025-03-17 17:00 XQIH5 30'];
    // Friday evening and Sunday belong to it, whose dates have other contracts or none.
    expect(await named('XQI.v.0', 'TradeDate=2025-03-17')).toEqual(monday);
    expect(await named('XQIH5', 'TradeDate=2025-03-17')).toEqual(['2025-03-17 17:00 XQIH5 30']);
    const listed = 'TradeDate.in=2025-03-17,2025-03-20';
    const thursday = ['2025-03-20 17:00 XQIM5 15'];
    expect(await named('XQI.v.0', listed)).toEqual([...monday, ...thursday]);
    const after = 'TradeDate.gt=2025-03-14&TradeDate.lt=2025-03-18';
    expect(await named('XQI.v.0', after)).toEqual(monday);
    expect(await named('XQI.v.0', 'TradeDate=2025-03-16')).toEqual([]);
    const early = 'period=200Y&TradeDate.ge=1900-01-01&TradeDate.le=2025-03-17';
    expect(await named('XQI.v.0', early)).toEqual(monday);
    expect(await named('XQI.v.0', 'TradeDate=latest')).toEqual(['2025-03-21 17:00 XQIM5 15']);
    // The open session goes on after the last date.
    expect((await named('XQI.v.0', 'TradeDate.ge=2025-03-21')).at(-1)).toBe(
      '2025-03-24 17:00 XQIM5 12',
    );
    expect(await barsOf('XQIM5', 'interval=1w&TradeDate=latest')).toHaveLength(1);
  });

  it('lack the evening that a rule does not allow, and say so', async () => {
    const { accountId, key } = await service.addAccount('bars of some dates');
    const { datasetId } = service.dataset('fut_taq_1min');
    const window = { startDate: '2025-03-20', endDate: null, universe: [] };
    await writing(service.services.store).rules.add({ accountId, datasetId, ...window });
    const asked = async (path: string, date: string) => {
      const answer = await service.app.inject({
        url: `/v1/${path}interval=1d&TradeDate=${date}`,
        headers: { 'x-api-key': key },
      });
      return { headers: answer.headers, body: answer.json() };
    };
    const page = 'data/us-futures/taq-1min/XQIM5?';
    const text =
      'A rule begins with 2025-03-20, and rows of an evening have its calendar date: the session of 2025-03-20 may lack the evening before';
    const cut = await asked(page, '2025-03-20');
    expect(cut.body.data.map(({ Volume }: { Volume: number }) => Volume)).toEqual([3]);
    expect([cut.headers['x-hint-code'], cut.headers['x-hint']]).toEqual(['sessions', text]);
    const whole = await asked(page, '2025-03-21');
    expect(whole.body.data.map(({ Volume }: { Volume: number }) => Volume)).toEqual([15]);
    expect(whole.headers['x-hint']).toBeUndefined();
    const manifest = await asked(
      'bulk/us-futures/taq-1min?Ticker=XQIM5&response_format=arrow&',
      '2025-03-20',
    );
    expect(manifest.body).toMatchObject({ row_count: 1, hint: text });
  });

  it('are only of sessions that a rule of their contract holds, and lack no evening in silence', async () => {
    const { accountId, key } = await service.addAccount('bars of contracts on other dates');
    const { datasetId } = service.dataset('fut_taq_1min');
    const { rules } = writing(service.services.store);
    const early = { startDate: '2025-03-13', endDate: '2025-03-16', universe: ['XQIM5'] };
    const late = { startDate: '2025-03-17', endDate: null, universe: ['XQIH5'] };
    for (const rule of [early, late]) await rules.add({ accountId, datasetId, ...rule });
    const asked = async (ticker: string) => {
      const dates = 'TradeDate.in=2025-03-14,2025-03-17';
      const url = `/v1/data/us-futures/taq-1min/${ticker}?interval=1d&${dates}`;
      const answer = await service.app.inject({ url, headers: { 'x-api-key': key } });
      expect(answer.statusCode, answer.body).toBe(200);
      const { data } = answer.json() as { data: Record<string, string | number>[] };
      const bars = data.map(({ TradeDate, Volume }) => `${TradeDate} ${Volume}`);
      return { bars, code: answer.headers['x-hint-code'] };
    };
    // Rows of Friday evening and Sunday are of the Monday, which no rule lets it read.
    expect(await asked('XQIM5')).toEqual({ bars: ['2025-03-14 3'] });
    expect(await asked('XQIH5')).toEqual({ bars: ['2025-03-17 3'], code: 'sessions' });
    await rules.add({ accountId, datasetId, ...early, universe: ['XQI'] });
    expect(await asked('XQIH5')).toEqual({ bars: ['2025-03-14 3', '2025-03-17 30'] });
  });

  it.each([
    // On the evenings of Friday and Saturday no market is open.
    ['taq-1min', '1d', ['2025-03-15'], undefined],
    ['taq-1min', '1d', ['2025-03-16'], undefined],
    ['taq-1min', '1d', ['2025-03-17'], 'sessions'],
    ['taq-1min', '1d', ['2025-03-10/2025-03-14', '2025-03-16'], undefined],
    ['taq-1min', '1d', ['2025-03-10/2025-03-14', '2025-03-17'], 'sessions'],
    ['taq-1min', '1d', ['2025-03-10/2025-03-16', '2025-03-17'], undefined],
    // The values of Monday are of its session, those of Sunday not.
    ['daily', '1w', ['2025-03-18'], undefined],
    ['daily', '1w', ['2025-03-17'], 'sessions'],
  ])('of %s by %s, with rules for %s, have the hint %s', async (path, interval, windows, code) => {
    const { accountId, key } = await service.addAccount(`${path} of ${windows}`);
    const { datasetId } = service.dataset(path === 'daily' ? 'fut_daily' : 'fut_taq_1min');
    for (const window of windows) {
      const [startDate = '', endDate = null] = window.split('/');
      const rule = { accountId, datasetId, startDate, endDate, universe: [] };
      await writing(service.services.store).rules.add(rule);
    }
    const subject = path === 'daily' ? 'daily?Ticker=XQIM5&' : 'taq-1min/XQIM5?';
    const from = path === 'daily' ? '' : '&TradeDate.ge=2025-03-17';
    const url = `/v1/data/us-futures/${subject}interval=${interval}&TradeDate.le=2025-03-18${from}`;
    const answer = await service.app.inject({ url, headers: { 'x-api-key': key } });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json().data.length).toBeGreaterThan(0);
    expect(answer.headers['x-hint-code']).toBe(code);
    if (code) expect(answer.headers['x-hint']).toContain(': the session of 2025-03-17 may lack');
  });

  it('are none of the evening alone with which a rule or a period ends', async () => {
    const datesWithin = async (startDate: string, endDate: string, query: string) => {
      const { accountId, key } = await service.addAccount(`bars from ${startDate} to ${endDate}`);
      const { datasetId } = service.dataset('fut_taq_1min');
      const rule = { accountId, datasetId, startDate, endDate, universe: [] };
      await writing(service.services.store).rules.add(rule);
      const url = `/v1/data/us-futures/taq-1min/XQIM5?interval=1d&${query}`;
      const answer = await service.app.inject({ url, headers: { 'x-api-key': key } });
      expect(answer.statusCode, answer.body).toBe(200);
      const files = await service.app.inject({
        url: `/v1/bulk/us-futures/taq-1min?Ticker=XQIM5&response_format=arrow&interval=1d&${query}`,
        headers: { 'x-api-key': key },
      });
      const { data } = answer.json() as { data: { TradeDate: string }[] };
      expect(files.json()).toMatchObject({ row_count: data.length });
      return data.map(({ TradeDate }) => TradeDate);
    };
    const [first, last] = ['2025-03-18', '2025-03-19'];
    expect(await datesWithin(first, last, '')).toEqual([first, last]);
    // Only the Sunday evening of the session of the 17th.
    expect(await datesWithin('2025-03-15', '2025-03-16', 'TradeDate=latest')).toEqual([]);
    const all = '/us-futures/taq-1min?Ticker=XQIM5&response_format=arrow&interval=1d';
    const { body } = await service.get(`/v1/bulk${all}`);
    expect(JSON.parse(body)).toMatchObject({ hint: null });
    const ofPeriod = await barsOf('XQIM5', `interval=1d&TradeDate.ge=${first}&period=2D`);
    expect(ofPeriod).toEqual([`${first} 17:00 XQIM5 15`, `${last} 17:00 XQIM5 15`]);
  });

  it('are missing for contracts that have rows of other sessions of these days alone', async () => {
    const missing = async (dates: string) => {
      const query = `Ticker.in=XQIM5,XQIZ5&interval=1d&response_format=arrow&${dates}`;
      return (await service.get(`/v1/bulk/us-futures/taq-1min?${query}`)).json().missing;
    };
    const none = { count: 0, of: 2, identifiers: [] };
    expect(await missing('TradeDate=2025-03-20')).toEqual(none);
    expect(await missing('TradeDate=2025-03-21')).toEqual({
      ...{ count: 1, of: 2, identifiers: ['XQIZ5'] },
    });
    expect(await missing('')).toEqual(none);
  });

  it('add up to those of weeks', async () => {
    expect(await barsOf('XQI.c.0', 'interval=1w')).toEqual([
      '2025-03-10 17:00 XQIH5 3',
      '2025-03-17 17:00 XQIH5 60',
      '2025-03-17 17:00 XQIM5 30',
      '2025-03-24 17:00 XQIM5 12',
    ]);
  });

  it('go over midnight, of one contract', async () => {
    const dates = 'TradeDate.ge=2025-03-17&TradeDate.le=2025-03-18';
    expect(await barsOf('XQI.v.0', `interval=2h&${dates}`)).toEqual([
      '2025-03-17 00:00 XQIH5 1',
      '2025-03-17 15:00 XQIH5 2',
      '2025-03-17 17:00 XQIM5 4',
      '2025-03-17 23:00 XQIM5 9',
      '2025-03-18 15:00 XQIM5 2',
      '2025-03-18 17:00 XQIM5 4',
      '2025-03-18 23:00 XQIM5 8',
    ]);
    // Shorter ones change with the trade date, as the stored ones do.
    expect(await barsOf('XQI.v.0', `interval=1h&${dates}`)).toContain('2025-03-17 23:00 XQIH5 8');
  });
});

describe('the pages of a walk', () => {
  it('stay with the ranks of the first one', async () => {
    const first = await ask(`${BARS}?Ticker=XQI.n.0&limit=5`);
    const [, link = ''] = /<([^>]*)>/.exec(first.headers.link as string) ?? [];
    expect(link).toContain('rolls_version=');
    const version = first.headers['x-rolls-version'] as string;
    const swapped = DAYS.map((day) => ({ ...day, open: 999 - (day.open ?? 0) }));
    await publishDays(swapped);
    try {
      const rest = await service.get(
        new URL(link, 'http://any').pathname + new URL(link, 'http://any').search,
        {
          'x-api-key': service.key,
        },
      );
      const rows = [...first.json().data, ...rest.json().data];
      expect(rows.map(({ TradeDate, Ticker }) => `${TradeDate} ${Ticker}`).slice(0, 10)).toEqual(
        expectedBars('XQI.n.0', () => true).slice(0, 10),
      );
      const asked = `${BARS}?Ticker=XQI.n.0`;
      expect((await ask(asked)).headers['x-rolls']).not.toBe(HELD['XQI.n.0']);
      const pinned = await ask(`${asked}&rolls_version=${version}`);
      expect(pinned.headers['x-rolls']).toBe(HELD['XQI.n.0']);
      expect(pinned.headers.etag).not.toBe((await ask(asked)).headers.etag);
    } finally {
      await publishDays(DAYS);
    }
  });

  it('are asked for by a text that has the symbol and the version of the ranks', async () => {
    for (const path of [
      `${BARS}?Ticker.in=XQI.v.0&TradeDate.ge=2025-03-17`,
      `${TICKS}/2025-03-18/XQI.v.0`,
    ]) {
      const scan = await service.get(`/v1/data-scan${path}`, { 'x-api-key': service.key });
      const { canonical_request: text } = scan.json() as { canonical_request: string };
      expect(text).toContain('rolls_version=');
      expect(text).toContain('XQI.v.0');
      expect(text).not.toContain('XQIM5');
      const again = await service.get(`/v1${text}`, { 'x-api-key': service.key });
      expect(again.json().data).toEqual((await ask(path)).json().data);
    }
  });
});

it('manifests have the same rows, and their files are served', async () => {
  const manifest = await service.get(`/v1/bulk${BARS}?Ticker=XQI.v.0&response_format=csv_gzip`, {
    'x-api-key': service.key,
  });
  expect(manifest.statusCode, manifest.body).toBe(200);
  const { row_count: rowCount, files } = manifest.json() as {
    row_count: number;
    files: { url: string }[];
  };
  const expected = expectedBars('XQI.v.0', () => true);
  expect(rowCount).toBe(expected.length);
  const lines: string[] = [];
  for (const { url } of files) {
    const { pathname, search } = new URL(url, 'http://any');
    const file = await service.get(pathname + search, {});
    expect(file.statusCode, file.body).toBe(200);
    const text = gunzipSync(file.rawPayload).toString();
    lines.push(...text.trim().split('\n').slice(1));
  }
  expect(lines.map((line) => line.split(',')).map((cells) => `${cells[0]} ${cells[2]}`)).toEqual(
    expected,
  );
});

describe('the readable part of a contract', () => {
  it('is what the rules for the asked dataset let pass, on any dates', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(HELD)),
        fc.constantFrom<readonly string[]>(
          [],
          ['XQI'],
          ['XQIM5'],
          ['XQIH5', 'XQIU5'],
          ['XQN'],
          ['XQN', 'XQIM5'],
        ),
        fc.constantFrom(...new Set(DAYS.map(({ date }) => date))),
        fc.constantFrom(...new Set(DAYS.map(({ date }) => date))),
        async (symbol, universe, from, first) => {
          const key = await keyWith({ fut_daily: {}, fut_trades_1min: { universe, from } });
          const start = laterOf(first, from);
          const answer = await ask(`${BARS}?Ticker=${symbol}&TradeDate.ge=${start}`, key);
          const mayRead = ({ ticker }: Day) =>
            universe.length === 0 || universe.includes('XQI') || universe.includes(ticker);
          if (universe.every((id) => id === 'XQN') && universe.length > 0) {
            expect(answer.statusCode).toBe(403);
            return;
          }
          expect(answer.statusCode, answer.body).toBe(200);
          const rows = answer.json().data as Record<string, unknown>[];
          expect(rows.map(({ TradeDate, Ticker }) => `${TradeDate} ${Ticker}`)).toEqual(
            expectedBars(symbol, (day) => day.date >= start && mayRead(day)),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    [{ fut_trades_1min: {} }, 403, 'not authorized to access the dataset US Futures Daily'],
    [{ fut_trades_1min: {}, fut_daily: { universe: ['XQIM5'] } }, 403, 'all contracts of'],
    [{ fut_trades_1min: {}, fut_daily: { universe: ['XQN', 'XQI'] } }, 200, ''],
  ])('with the rules %j is a %i', async (rules, status, detail) => {
    const answer = await ask(`${BARS}?Ticker=XQI.v.0`, await keyWith(rules));
    expect([answer.statusCode, answer.body.includes(detail)]).toEqual([status, true]);
  });
});

it('a version of the ranks means nothing to a contract of its own', async () => {
  const plain = await rowsOf(`${BARS}?Ticker=XQIM5`);
  expect(await rowsOf(`${BARS}?Ticker=XQIM5&rolls_version=1`)).toEqual(plain);
});

describe('an unanswerable request', () => {
  it.each([
    [`${BARS}?Ticker.in=XQI.c.0,XQIM5`, 'Ask for a continuous contract alone'],
    [`${BARS}?Ticker.in=XQI.c.0,XQI.c.1`, 'Ask for a continuous contract alone'],
    [`${TICKS}/2025-03-17/XQZ.c.0`, "'XQZ' has no contracts"],
    [`${BARS}?Ticker=XQI.c.2`, "'XQI' never has more than 2 ranked contracts at once"],
    [`${BARS}?Ticker=XQN.n.0`, "'XQN.n.0' has no contract on any date: US Futures Daily Values"],
    [`${BARS}?Ticker=XQI.x.0`, "'XQI.x.0' should be a root, '.c.', '.v.' or '.n.', and a rank"],
    [`${BARS}?Ticker.in=XQIM5,XQI.c.100`, "'XQI.c.100' should be a root"],
    [`${TICKS}/2025-03-17/xqi.c.0`, "'xqi.c.0' should be a root"],
    [`${BARS}?Ticker=XQI.c.0&rolls_version=0`, 'greater than or equal to 1'],
    ['/us-equity/daily-ohlc?Ticker=XQI.c.0&rolls_version=1', 'does not apply to this dataset'],
  ])('%s is a 422', async (path, message) => {
    const answer = await ask(path);
    expect([answer.statusCode, answer.body]).toEqual([422, expect.stringContaining(message)]);
  });

  it.each([
    [`${TICKS}/2025-03-17/XQZ.c.0`, ['path', 'identifier']],
    [`${BARS}?Ticker=XQZ.c.0`, ['query', 'Ticker']],
    [`${BARS}?Ticker.in=XQZ.c.0`, ['query', 'Ticker.in']],
    [`${BARS}?Ticker=XQI.c.0&symbols=strict`, ['query', 'symbols']],
    [`${BARS}?Ticker=XQI.c.0&continuous=true`, ['query', 'continuous']],
    [`${TICKS}/2025-03-17/XQI.c.0?symbols=strict`, ['query', 'symbols']],
  ])('%s names what was sent: %j', async (path, loc) => {
    const answer = await ask(path);
    expect([answer.statusCode, answer.json().detail[0].loc]).toEqual([422, loc]);
  });

  it('is a version of the ranks that never was', async () => {
    const answer = await ask(`${BARS}?Ticker=XQI.c.0&rolls_version=999`);
    expect(answer.statusCode).toBe(404);
  });
});

describe('symbology/rolls', () => {
  const rolls = (query: string, key = service.key) =>
    service.get(`/v1/symbology/rolls?${query}`, { 'x-api-key': key });

  it('tells the contracts with their dates, cut to those asked for', async () => {
    const answer = await rolls('symbol=XQI.c.0&start=2025-03-17&end=2025-03-20');
    expect(answer.json()).toMatchObject({
      symbol: 'XQI.c.0',
      rolls: [
        { start_date: '2025-03-17', end_date: '2025-03-19', ticker: 'XQIH5' },
        { start_date: '2025-03-20', end_date: '2025-03-20', ticker: 'XQIM5' },
      ],
    });
  });

  it('tells the dates without a contract, and why', async () => {
    expect((await rolls('symbol=XQI.v.0')).json().gaps).toEqual([
      {
        ...{ start_date: '2025-03-14', end_date: '2025-03-14', reason: 'no_volume' },
        detail: 'No contract of the root traded on the 3 weekdays before',
      },
    ]);
    expect((await rolls('symbol=XQI.c.1&start=2025-03-21')).json()).toMatchObject({
      rolls: [],
      gaps: [{ start_date: '2025-03-21', end_date: '2025-03-21', reason: 'too_few_contracts' }],
    });
    expect((await rolls('symbol=XQI.n.0&start=2025-03-17')).json().gaps).toEqual([]);
  });

  it('names the parameter in a refusal', async () => {
    const { detail } = (await rolls('symbol=XQZ.c.0')).json();
    expect(detail[0].loc).toEqual(['query', 'symbol']);
  });

  it.each([
    ['symbol=XQI.c.2', 422, 'the last rank is 1'],
    ['symbol=XQI', 422, "'symbol' should be a root"],
    ['symbol=XQI.c.0&start=2025-03-18&end=2025-03-17', 422, 'no later than'],
    ['symbol=XQI.c.0&rolls_version=999', 404, 'never been published'],
  ])('%s is a %i', async (query, status, message) => {
    const answer = await rolls(query);
    expect([answer.statusCode, answer.body]).toEqual([status, expect.stringContaining(message)]);
  });

  it('asks for the right to read all contracts of the root', async () => {
    expect((await rolls('symbol=XQI.c.0', await keyWith({ fut_trades_1min: {} }))).statusCode).toBe(
      403,
    );
  });
});
