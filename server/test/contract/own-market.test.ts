/**
 * A market that the program knows nothing of: definitions of an operator's own with another clock,
 * another calendar and other names of columns, from the file that is loaded to what clients get.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandOutput, runCommand } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { writing } from '../writing.ts';

liftTimeLimits();

const SHARED = `
description: Made up for a test.
data_group: Tokyo
dataset_class: Futures
dataset_format: Market Data
time_granularity: Tick
universe_identifier: symbol
creation_date: 2026-11-20
is_time_series: true
group: tokyo
natural_order: [SessionDate, Contract, TradedAt]
date_column: SessionDate
universe: [Product, Contract]
root_column: Product
time_zone: Asia/Tokyo
schedule: { days: trading, time: "18:00" }
columns:
  - { name: SessionDate, type: date, description: Day in Tokyo. }
  - { name: TradedAt, type: date-time, fraction_digits: 9, description: Moment of the trade. }
  - { name: Product, type: string, description: What the contract is on. }
  - { name: Contract, type: string, description: Symbol of the contract. }
  - { name: Price, type: number, description: Yen. }
`;
const TICKS = `${SHARED}
id: US9101
text_id: tokyo_trades
name: Tokyo Trades
segment: tokyo-trades
path: tick
partition: { unit: day, column: SessionDate }
identifier: [Contract]
same_day: [TradedAt]
`;
const BY_QUERY = `${SHARED}
id: US9102
text_id: tokyo_history
name: Tokyo History
segment: tokyo-history
path: query
partition: { unit: month, column: SessionDate }
default_period: 2D
calendar: every_day
`;

const CSV = `SessionDate,TradedAt,Product,Contract,Price
2025-06-17,2025-06-17T08:45:00.000000001,NK,NKU5,38100
2025-06-18,2025-06-18T00:00:00,NK,NKU5,38200
2025-06-18,2025-06-18T15:15:00.123456789,NK,NKU5,38300
2025-06-18,2025-06-18T14:59:59.999999999Z,NK,NKU5,38400
2025-06-18,2025-06-18T15:14:00,TX,TXU5,2800
2025-06-20,2025-06-20T09:00:00,NK,NKU5,38500
`;
const BAD_CSV = `SessionDate,TradedAt,Product,Contract,Price
2025-06-18,2025-06-18T15:00:00Z,NK,NKU5,1
`;

const CLOCK = new Intl.DateTimeFormat('en-CA', {
  ...{ timeZone: 'Asia/Tokyo', hourCycle: 'h23', timeZoneName: 'longOffset' },
  ...({ year: 'numeric', month: '2-digit', day: '2-digit' } as const),
  ...({ hour: '2-digit', minute: '2-digit', second: '2-digit' } as const),
});

/** The time of a clock in Tokyo, as the runtime's calendar shows it, and not the program. */
function tokyoTime(utc: string, fraction = '000000000'): string {
  const parts = CLOCK.formatToParts(Date.parse(utc));
  const { year, month, day, hour, minute, second, timeZoneName } = Object.fromEntries(
    parts.map(({ type, value }) => [type, value]),
  );
  const offset = timeZoneName?.replace('GMT', '');
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}${offset}`;
}

let definitions: string;
let service: TestService;
let origin: string;
let badLoad: CommandOutput;
const load = (textId: string, name: string) =>
  runCommand(service.services.config.home, 'ingest', textId, join(definitions, name));

beforeAll(async () => {
  definitions = await mkdtemp(join(tmpdir(), 'ticklake-tokyo-'));
  writeFileSync(join(definitions, 'trades.yaml'), TICKS);
  writeFileSync(join(definitions, 'history.yaml'), BY_QUERY);
  service = await openTestService({ definitions });
  writeFileSync(join(definitions, 'rows.csv'), CSV);
  writeFileSync(join(definitions, 'bad.csv'), BAD_CSV);
  badLoad = await load('tokyo_trades', 'bad.csv');
  for (const textId of ['tokyo_trades', 'tokyo_history']) {
    expect(await load(textId, 'rows.csv')).toMatchObject({ exitCode: 0 });
  }
  origin = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await service.close();
  rmSync(definitions, { recursive: true });
});

const TRADES = '/v1/data/tokyo/tokyo-trades';
const HISTORY = '/v1/data/tokyo/tokyo-history';

async function ask(path: string, key = service.key) {
  const answer = await fetch(`${origin}${path}`, { headers: { 'x-api-key': key } });
  // biome-ignore lint/suspicious/noExplicitAny: bodies are whatever the test expects them to be
  const body: any = await answer.json();
  return { status: answer.status, headers: answer.headers, body };
}

async function timesOf(path: string, key = service.key): Promise<string[]> {
  const { status, body } = await ask(path, key);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map((row: { TradedAt: string }) => row.TradedAt);
}

async function keyOf(
  name: string,
  rule: { startDate?: string; universe?: string[] },
): Promise<string> {
  const { accountId, key } = await service.addAccount(name);
  for (const textId of ['tokyo_trades', 'tokyo_history']) {
    await writing(service.services.store).rules.add({
      accountId,
      datasetId: service.dataset(textId).datasetId,
      startDate: rule.startDate ?? '1900-01-01',
      endDate: null,
      universe: rule.universe ?? [],
    });
  }
  return key;
}

describe('times', () => {
  const day = [
    tokyoTime('2025-06-17T15:00:00Z'),
    tokyoTime('2025-06-18T06:15:00Z', '123456789'),
    tokyoTime('2025-06-18T14:59:59Z', '999999999'),
  ];

  it("are loaded and answered by the market's clock", async () => {
    expect(await timesOf(`${TRADES}/2025-06-18/NKU5`)).toEqual(day);
    expect(day[0]).toBe('2025-06-18T00:00:00.000000000+09:00');
  });

  it.each([
    ['TradedAt.ge=2025-06-18T15:15', 1],
    ['TradedAt.ge=2025-06-18T06:15Z', 1],
    ['TradedAt.gt=2025-06-18T15:15:00.123456789', 2],
    ['TradedAt.ge=2025-06-18', 0],
    ['TradedAt.lt=2025-06-18', 3],
  ])('are filtered by that clock with %s', async (filter, from) => {
    expect(await timesOf(`${TRADES}/2025-06-18/NKU5?${filter}`)).toEqual(day.slice(from));
  });

  it('have to lie on the day of their row by that clock', () => {
    expect(badLoad.exitCode).toBe(2);
    expect(badLoad.stderr).toContain("a time on 2025-06-18, the row's SessionDate, in Asia/Tokyo");
  });

  it('are told by the form of the dataset', async () => {
    expect((await ask('/v1/meta/datasets/US9101/query')).body).toMatchObject({
      time_zone: 'Asia/Tokyo',
      filter_time_zone: 'Asia/Tokyo',
      date_column: 'SessionDate',
    });
  });
});

describe('dates', () => {
  it('in a look-back period are those of the date column', async () => {
    expect(await timesOf(HISTORY)).toEqual([tokyoTime('2025-06-20T00:00:00Z')]);
    expect(await timesOf(`${HISTORY}?SessionDate.le=2025-06-18`)).toHaveLength(5);
    const tooLong = await ask(`${HISTORY}?SessionDate.ge=2025-06-16&SessionDate.le=2025-06-20`);
    expect([tooLong.status, tooLong.body.detail[0].type]).toEqual([422, 'history_limit']);
  });

  it("outside an account's window are refused, and rows outside it are not answered", async () => {
    const key = await keyOf('from the eighteenth', { startDate: '2025-06-18' });
    expect(await timesOf(`${TRADES}/2025-06-18/NKU5`, key)).toHaveLength(3);
    expect((await ask(`${TRADES}/2025-06-17/NKU5`, key)).body.detail[0]).toMatchObject({
      type: 'date_outside_window',
      loc: ['path', 'trade_date'],
    });
    expect((await ask(`${HISTORY}?SessionDate=2025-06-17`, key)).body.detail[0]).toMatchObject({
      type: 'date_outside_window',
      loc: ['query', 'SessionDate'],
    });
    expect(await timesOf(`${HISTORY}?SessionDate.le=2025-06-18`, key)).toHaveLength(4);
  });

  it('may be as late as it is at the market', async () => {
    // The 21st at the market, the 20th in UTC.
    expect(await timesOf(`${TRADES}/2025-06-21/NKU5`)).toEqual([]);
    expect((await ask(`${TRADES}/2025-06-22/NKU5`)).status).toBe(422);
  });
});

describe('roots', () => {
  it('in a rule let their contracts through and no others', async () => {
    const key = await keyOf('one product', { universe: ['NK'] });
    expect(await timesOf(`${TRADES}/2025-06-18/NKU5`, key)).toHaveLength(3);
    expect((await ask(`${TRADES}/2025-06-18/TXU5`, key)).status).toBe(403);
    expect((await ask(`${HISTORY}?Product=TX`, key)).status).toBe(403);
  });

  it('in place of a contract get a hint', async () => {
    const { headers, body } = await ask(`${TRADES}/2025-06-18/TX`);
    expect([body.data, headers.get('x-hint')]).toEqual([
      [],
      "'TX' is a base symbol; ask for one of its contracts, such as 'TXU5'",
    ]);
  });
});

describe('the status', () => {
  const statusOf = async (id: string) => (await ask(`/v1/meta/datasets/${id}/status`)).body;

  it("expects rows after the calendar's next day, by the market's clock", async () => {
    // Saturday morning in Tokyo.
    expect(tokyoTime('2025-06-20T16:00:00Z')).toContain('2025-06-21T01:00:00');
    expect(tokyoTime('2025-06-23T09:00:00Z')).toContain('2025-06-23T18:00:00');
    expect(await statusOf('US9101')).toMatchObject({
      status_code: 'current',
      next_expected_update: '2025-06-23T09:00:00Z',
    });
    expect(await statusOf('US9102')).toMatchObject({
      next_expected_update: '2025-06-21T09:00:00Z',
    });
  });
});
