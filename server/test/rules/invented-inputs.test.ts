/**
 * Loads, derives and queries small invented files, kept beside the checkout, with known results.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { newFolder, runCommand } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';

const INPUTS = join(import.meta.dirname, '../../../../shared/inputs');
const isThere = existsSync(INPUTS);

/** Each home holds its files, and what is derived of them. */
const HOMES = [
  {
    files: {
      opt_tanq: ['fidelity/mini.csv'],
      eq_adj_factors_basic: ['fidelity/miniadj.csv'],
      fut_trades: ['fidelity/fallback-hour.csv'],
    },
    derived: ['opt_greeks_daily', 'fut_trades_1min'],
  },
  {
    files: {
      fut_trades_1min: [
        'fidelity/futures-2h.csv',
        'fidelity/futures-holidays.csv',
        'fidelity/roll-midweek.csv',
      ],
      eq_trades_1min: ['fidelity/ticker-change-week.csv'],
    },
    derived: ['fut_daily'],
  },
  {
    files: {
      eq_daily_ohlc: ['owner/aapl-no-asid.csv'],
      eq_adj_factors_basic: ['owner/aapl-events.csv'],
    },
    derived: ['eq_daily_ohlc_adj'],
  },
] as const;

type Cell = string | number | null;

describe.skipIf(!isThere)('invented inputs, which lie beside the checkout or are skipped', () => {
  const folder = newFolder();
  const services: TestService[] = [];

  async function openHome({ files, derived }: (typeof HOMES)[number], home: string) {
    const run = async (...words: string[]) => {
      const { stderr, exitCode } = await runCommand(home, ...words);
      expect([stderr, exitCode]).toEqual(['', 0]);
    };
    for (const [dataset, names] of Object.entries(files)) {
      for (const name of names) await run('ingest', dataset, join(INPUTS, name), '--append');
    }
    await run('derive', ...derived);
    return await openTestService({}, undefined, home);
  }

  beforeAll(async () => {
    for (const [i, home] of HOMES.entries()) {
      services.push(await openHome(home, join(folder.path, `${i}`)));
    }
  });
  afterAll(async () => {
    for (const service of services) await service.close();
    folder.remove();
  });

  async function rows(home: number, path: string, columns: string[]): Promise<Cell[][]> {
    const url = `/v1/data/${path}&period=20Y&columns=${columns.join(',')}`;
    const { data, detail } = (await services[home]!.get(url)).json();
    expect(detail).toBeUndefined();
    return data.map((row: Record<string, Cell>) => columns.map((column) => row[column]));
  }

  it('options have a volatility at which the model meets the mid', async () => {
    const columns = [
      'Ticker',
      'CallPut',
      'Strike',
      'LastMidPrice',
      'MidTheoPrice',
      'MidImpliedVol',
    ];
    const path = 'us-equity-opt/opt-greeks-daily?Ticker.in=HIYLD,NODIV';
    const all = [...columns, 'MidDelta', 'MidVega', 'ImpliedVolConvergence'];
    const found = await rows(0, path, all);
    expect(found.map((cells) => cells.slice(0, 4).join(' '))).toEqual([
      'HIYLD C 40 60.01',
      'HIYLD P 120 30',
      'HIYLD C 20 81',
      'NODIV C 100 97.14',
    ]);
    const right = [
      [0.5713, 0.9912],
      [0.2467, -0.6152],
      [1.1068, 0.9535],
      [2.5001, 0.9858],
    ];
    for (const [i, cells] of found.entries()) {
      const [mid, theo, volatility, delta, , outcome] = cells.slice(3) as number[];
      expect(outcome).toBe('Converged');
      expect(theo).toBeCloseTo(mid!, 4);
      expect([volatility, delta]).toEqual(right[i]!.map((value) => expect.closeTo(value, 3)));
    }
    expect(found[3]![7]).toBeCloseTo(0.062, 3);
  });

  it('the night on which clocks are set back has a bar for each minute with a trade', async () => {
    const path = 'us-futures/fut-trades-1min?Ticker=CLZ4&TradeDate=2024-11-03';
    expect(await rows(0, path, ['BarDateTime', 'TotalQuantity'])).toEqual([
      ['2024-11-03T00:00:00-05:00', 1],
      ['2024-11-03T00:30:00-05:00', 1],
      ['2024-11-03T00:59:00-05:00', 1],
      ['2024-11-03T01:10:00-05:00', 1],
      ['2024-11-03T01:10:00-06:00', 1],
      ['2024-11-03T01:59:00-06:00', 1],
      ['2024-11-03T17:00:00-06:00', 1],
      ['2024-11-03T23:59:00-06:00', 1],
    ]);
    const spring = 'us-futures/fut-trades-1min?Ticker=CLJ4&TradeDate=2024-03-10';
    expect(await rows(0, spring, ['BarDateTime'])).toEqual([
      ['2024-03-10T00:59:00-06:00'],
      ['2024-03-10T23:59:00-05:00'],
    ]);
  });

  it('two-hour bars of futures count from 17:00', async () => {
    const path = 'us-futures/fut-trades-1min?Ticker=CLG5&TradeDate.le=2024-12-31&interval=2h';
    expect(await rows(1, path, ['TradeDate', 'BarDateTime', 'TotalQuantity'])).toEqual([
      ['2024-03-05', '2024-03-05T23:00:00-06:00', 2],
    ]);
  });

  it('a day of futures is a session of their product group', async () => {
    const columns = ['TradeDate', 'BarDateTime', 'OpenPrice', 'TotalQuantity'];
    const path = 'us-futures/fut-trades-1min?interval=1d&Ticker=';
    expect(await rows(1, `${path}CLG5&TradeDate.ge=2025-01-01`, columns)).toEqual([
      ['2025-01-08', '2025-01-07T17:00:00-06:00', 73.1, 10],
      ['2025-01-09', '2025-01-08T17:00:00-06:00', 73.3, 20],
      ['2025-01-10', '2025-01-09T17:00:00-06:00', 74.2, 20],
    ]);
    expect(await rows(1, `${path}ESM3`, columns)).toEqual([
      ['2023-04-07', '2023-04-06T17:00:00-05:00', 4130, 20],
      ['2023-04-10', '2023-04-09T17:00:00-05:00', 4110, 10],
    ]);
  });

  it('a session of a continuous contract is of one contract', async () => {
    const asked = (ticker: string, dates: string) =>
      rows(1, `us-futures/fut-trades-1min?interval=1d&Ticker=${ticker}&${dates}`, [
        ...['TradeDate', 'Ticker', 'TotalQuantity'],
      ]);
    const until = 'TradeDate.le=2024-03-15';
    expect(await asked('YY.v.0', until)).toEqual([
      ['2024-03-12', 'YYH4', 260],
      ['2024-03-13', 'YYM4', 660],
      ['2024-03-14', 'YYM4', 660],
      ['2024-03-15', 'YYM4', 660],
    ]);
    // That evening belongs to the next session, which is not asked for.
    expect((await asked('YYM4', until)).at(-1)).toEqual(['2024-03-15', 'YYM4', 660]);
  });

  it('a week of one company is one bar, whatever its tickers', async () => {
    const service = services[1]!;
    const cells: Record<string, CellValue> = {
      ...{ SecId: 1n, ASID: 1n, TickerNow: 'NEWT', Ticker: ['OLDT', 'NEWT'] },
      TickerStartToEndDate: ['20200101:20241031', '20241101:20991231'],
    };
    const { columns } = service.dataset('eq_sec_master');
    await service.publish('eq_sec_master', [columns.map(({ name }) => cells[name] ?? null)]);
    const names = ['TradeDate', 'Ticker', 'ASID', 'FirstTradePrice', 'LastTradePrice', 'Volume'];
    for (const asked of ['continuous=true&Ticker=NEWT', 'ASID=1']) {
      const path = `us-equity/eq-trades-1min?interval=1w&${asked}`;
      expect(await rows(1, path, names)).toEqual([['2024-10-28', 'NEWT', 1, 10, 12, 400]]);
    }
  });

  it('adjusted rows say which of them could not be adjusted', async () => {
    const path = 'us-equity/daily-ohlc?Ticker=AAPL&adjusted=true&period=20Y';
    const { headers, statusCode } = await services[2]!.get(`/v1/data/${path}`);
    expect([statusCode, headers['x-unadjusted']]).toEqual([200, 'AAPL left-out']);
  });
});
