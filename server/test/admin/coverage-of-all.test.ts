/** Coverage of all datasets at once: what the index tells is what counting the rows would tell. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { runCommand } from '../command-line/run-command.ts';
import { writing } from '../writing.ts';
import { type AdminService, openAdminService } from './admin-service.ts';

/** By day, by month or year, and in one partition. */
const TEXT_IDS = ['eq_taq', 'eq_daily_ohlc', 'eq_taq_1min'] as const;
/** The 19th was a holiday. */
const DAYS = ['2025-06-11', '2025-06-13', '2025-06-16', '2025-06-18'];

interface Row {
  readonly dataset_id: string;
  readonly version: number;
  readonly first_trade_date: string | null;
  readonly states: readonly (string | null)[];
}

interface CoverageMap {
  readonly dates: readonly string[];
  readonly datasets: readonly Row[];
}

let service: AdminService;
let owner: string;

/** The clock stands at noon of 2025-06-20 in New York. */
beforeAll(async () => {
  service = await openAdminService();
  for (const textId of TEXT_IDS) {
    const dataset = service.dataset(textId);
    const rows = DAYS.map((date) =>
      dataset.columns.map(({ name, dataType }): CellValue => {
        if (name === 'TradeDate') return date;
        if (name === 'Ticker') return 'AAA';
        return dataType === 'date-time' ? BigInt(Date.parse(`${date}T15:00Z`)) * 1_000_000n : null;
      }),
    );
    await service.publish(textId, rows);
    const dates = { start: '2025-06-13', end: '2025-06-13' };
    const taken = { dates, identifiers: null, partitions: null };
    await service.services.lake.publisher.withdraw(dataset, taken);
    const rule = { startDate: '1900-01-01', endDate: null, universe: [] };
    const { accountId } = service.admin;
    await writing(service.services.store).rules.add({
      ...{ ...rule, accountId, datasetId: dataset.datasetId },
    });
  }
  owner = '/admin/coverage';
});
afterAll(() => service.close());

const mapOf = (query = '') => service.done<CoverageMap>(`${owner}${query}`);
const rowOf = ({ datasets }: CoverageMap, textId: string) =>
  datasets.find(({ dataset_id: id }) => id === service.dataset(textId).datasetId) as Row;

describe('coverage of all datasets', () => {
  it('has a row for each series of days, and a state for each day up to today', async () => {
    const map = await mapOf();
    const series = service.services.catalog.datasets.filter(
      ({ dateColumn, isTimeSeries }) => dateColumn !== null && isTimeSeries,
    );
    expect(map.datasets.map(({ dataset_id: id }) => id)).toEqual(series.map((d) => d.datasetId));
    expect([map.dates.length, map.dates[0], map.dates.at(-1)]).toEqual([
      ...[30, '2025-05-22', '2025-06-20'],
    ]);
    for (const { states } of map.datasets) expect(states).toHaveLength(30);
    const known = map.datasets.filter(({ version }) => version > 0);
    expect(known).toHaveLength(TEXT_IDS.length);
    const never = map.datasets.find(({ version }) => version === 0) as Row;
    expect(new Set(never.states)).toEqual(new Set([null]));
  });

  it('tells of a dataset that is kept by day all that its own coverage does', async () => {
    const map = await mapOf('?start=2025-06-11&end=2025-06-20');
    expect(rowOf(map, 'eq_taq').states).toEqual([
      ...['complete', 'missing', 'withdrawn', 'no_trading_day', 'no_trading_day'],
      ...['complete', 'missing', 'complete', 'no_trading_day', 'expected'],
    ]);
  });

  it.each(TEXT_IDS)('agrees with the counted days of %s where it knows', async (textId) => {
    const query = '?start=2025-06-11&end=2025-06-20';
    const map = await mapOf(query);
    const { datasetId } = service.dataset(textId);
    const counted = await service.done<{ days: { date: string; state: string | null }[] }>(
      `/meta/datasets/${datasetId}/coverage${query}`,
    );
    const states = new Map(counted.days.map(({ date, state }) => [date, state]));
    const row = rowOf(map, textId);
    let knownCount = 0;
    for (const [at, date] of map.dates.entries()) {
      const state = row.states[at];
      if (state === 'spanned') continue;
      knownCount++;
      const withdrawnOrMissing = states.get(date) === 'withdrawn' && textId !== 'eq_taq';
      expect([date, state]).toEqual([date, withdrawnOrMissing ? 'missing' : states.get(date)]);
    }
    expect(knownCount).toBeGreaterThan(5);
  });

  it('is refused for more days than one answer has, and for days that end before they begin', async () => {
    const refusal = async (query: string) => {
      const answer = await service.ask(`${owner}${query}`);
      return [answer.statusCode, answer.json().detail[0].loc, answer.json().detail[0].msg];
    };
    expect(await refusal('?start=2024-01-01&end=2025-01-01')).toEqual([
      422,
      ['query', 'end'],
      "'end' should be at most 365 days after 2024-01-01",
    ]);
    expect(await refusal('?start=2025-06-21')).toEqual([
      422,
      ['query', 'start'],
      "'start' should not be after 2025-06-20",
    ]);
  });

  it('is printed as a line of marks for each dataset', async () => {
    const { home } = service.services.config;
    const words = ['coverage', '--start', '2025-06-11', '--end', '2025-06-20'];
    const { stdout } = await runCommand(home, ...words);
    expect(stdout).toContain(`${service.dataset('eq_taq').datasetId}`);
    expect(stdout).toMatch(/2025-06-18 {2}\|#x-__#x#_[.!]\|\n/);
    const { stdout: json } = await runCommand(home, ...words, '--json');
    expect(JSON.parse(json).dates).toHaveLength(10);
  });
});
