/** Bars of an interval, and companies through their tickers. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CellValue } from '../../server/src/engine/columns.ts';
import { Ticklake } from '../src/index.ts';
import { type ServedRows, serveRows, silent } from './served-rows.ts';

let served: ServedRows;
let client: Ticklake;

async function publish(textId: string, rows: readonly Readonly<Record<string, CellValue>>[]) {
  const { columns } = served.service.dataset(textId);
  await served.service.publish(
    textId,
    rows.map((row) => columns.map(({ name }) => row[name] ?? null)),
  );
}

const BAR = { ASID: 33n, OpenPrice: 1, HighPrice: 3, DailyVolume: 5n };

beforeAll(async () => {
  served = await serveRows(1);
  client = new Ticklake({ url: served.url, key: served.service.key, ...silent });
  await publish('eq_daily_ohlc', [
    { TradeDate: '2025-06-16', Ticker: 'FB', ...BAR },
    { TradeDate: '2025-06-17', Ticker: 'META', ...BAR },
    { TradeDate: '2025-06-18', Ticker: 'META', ...BAR, HighPrice: 4 },
  ]);
  await publish('eq_sec_master', [
    {
      ...{ SecId: 1n, ASID: 33n, Ticker: ['FB', 'META'] },
      TickerStartToEndDate: ['20120518:20250616', '20250617:20991231'],
    },
    { SecId: 2n, ASID: 44n, Ticker: ['META'], TickerStartToEndDate: ['20080102:20110630'] },
  ]);
});
afterAll(() => served.service.close());

const where = { Ticker: 'META' };
const daily = () => client.dataset('eq_daily_ohlc');

it('bars of an interval are put together by the service, page by page', async () => {
  const weeks = await daily().read({ where, interval: '1w' }).toArray({ limit: 10 });
  expect(weeks).toMatchObject([{ TradeDate: '2025-06-16', HighPrice: 4, DailyVolume: 10n }]);
  const sorted = client.dataset('eq_taq_1min').read({ interval: '1h', sort: ['Ticker'] });
  await expect(sorted.toArray({ limit: 1 })).rejects.toThrow(/is read by identifier.*'sort'/);
});

it('bars of an interval come as files, also of identifiers that the path would name', async () => {
  const weeks = daily().read({ interval: '1w', where: { Ticker: ['FB', 'META'] } });
  const { rowCount, files } = await weeks.files();
  expect([rowCount, files.length]).toEqual([2, 1]);
  const bar = { Ticker: 'AAA', ASID: 7n, FirstTradePrice: 1, Volume: 2n };
  await publish('eq_taq_1min', [
    { TradeDate: '2025-06-18', BarDateTime: 1_750_255_200_000_000_000n, ...bar },
    { TradeDate: '2025-06-18', BarDateTime: 1_750_255_260_000_000_000n, ...bar, Ticker: 'BBB' },
  ]);
  const bars = client.dataset('eq_taq_1min').read({ interval: '1h', columns: ['Ticker'] });
  expect(await bars.toArray({ limit: 9 })).toEqual([{ Ticker: 'AAA' }, { Ticker: 'BBB' }]);
});

it('bars of an interval without any have their columns in a body', async () => {
  const where = { 'Ticker.like': 'none*' };
  const bars = client.dataset('eq_taq_1min').read({ interval: '1h', where });
  const chunks = await Array.fromAsync(bars.bytes('csv'));
  const { interval_columns: names } = await client.dataset('eq_taq_1min').form();
  expect(Buffer.concat(chunks).toString()).toBe(`${names.map((name) => `"${name}"`).join(',')}\n`);
});

it('a company is followed through its tickers, and pages and files tell which', async () => {
  const read = daily().read({ where, continuous: true, period: '5Y' });
  const [page] = await Array.fromAsync(read.pages());
  expect(page?.rows).toHaveLength(3);
  const symbols = /^FB 33 2020-06-\d\d\/2025-06-16, META 33 2025-06-17\/2025-06-18$/;
  expect(page?.symbols).toMatch(symbols);
  const files = await read.files();
  expect([files.rowCount, files.symbols]).toEqual([3, expect.stringMatching(symbols)]);
});

it('strict symbols refuse a ticker that meant two companies', async () => {
  const read = daily().read({ where, period: '20Y', symbols: 'strict' });
  await expect(read.toArray({ limit: 1 })).rejects.toThrow(/more than one company/);
});
