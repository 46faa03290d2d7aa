import { describe, expect, it } from 'vitest';
import { indexAt, legendAt, legendText, timesOf } from './bar-legend';
import { BarCollector, type BarsBySymbol, joinBars } from './bar-page';
import { type BarPlan, barPlan, barRequest, filteredColumns, symbolsOf } from './bar-request';
import { barView } from './bar-view';
import { chartPlan } from './chart-plan';
import type { DatasetShape } from './dataset-shape';
import { queryOfSearch } from './explorer-query';
import { requestOf, requestPath } from './explorer-request';
import { DAILY } from './shape-fixtures';

const NAMES = [
  ...['TradeDate', 'Ticker', 'BarDateTime', 'FirstTradePrice', 'HighTradePrice'],
  ...['LowTradePrice', 'LastTradePrice', 'Volume'],
];
const SHAPE: DatasetShape = {
  ...DAILY,
  columns: NAMES.map((name) => ({ name, data_type: 'string', operators: ['eq'] })),
  interval_columns: NAMES,
};
const PLAN = barPlan(chartPlan(NAMES), SHAPE) as BarPlan;
const WHOLE = { start: '2016-01-04', last: '2026-11-20' };
const NO_CHOICE = { range: null, interval: null };

function requestFor(search: Parameters<typeof queryOfSearch>[0]) {
  return requestOf(queryOfSearch({ identifier: 'AVQX', ...search }), SHAPE);
}

/** Bars of rows `date ticker minute price`. */
function collected(only: string | null, ...rows: readonly string[]): BarsBySymbol {
  const collector = new BarCollector({ plan: PLAN, date: 'TradeDate', only }, NAMES);
  for (const row of rows) {
    const [date = '', ticker = '', minute = '', price = ''] = row.split(' ');
    const cell = price === '' ? null : price;
    collector.add([date, ticker, `${date}T${minute}:00-05:00`, cell, cell, cell, cell, '100']);
  }
  return collector.bars();
}

describe('the rows of a chart', () => {
  it('become bars in the order of time, with a break where a trade date begins', () => {
    const { bars, breaks } = collected(
      'AVQX',
      '2026-11-19 AVQX 15:59 180.5',
      '2026-11-20 AVQX 09:30 181.25',
      '2026-11-20 AVQX 09:31',
      '2026-11-20 AVQX 09:32 182',
    ).get('AVQX')!;
    expect(bars.map(({ close }) => close)).toEqual([180.5, 181.25, 182]);
    expect(breaks).toEqual([bars[0]!.time, bars[1]!.time]);
    expect(bars[1]!.time).toBe(Date.UTC(2026, 10, 20, 9, 30) / 1000);
  });

  it('are those of one symbol if one was asked for, even under another ticker, else of each', () => {
    const rows = ['2026-11-19 OLDX 15:59 180.5', '2026-11-20 AVQX 09:30 181.25'];
    expect(collected('AVQX', ...rows).get('AVQX')!.bars).toHaveLength(2);
    expect([...collected(null, ...rows).keys()]).toEqual(['OLDX', 'AVQX']);
  });

  it('are joined without a gap or a double bar', () => {
    const later = collected('X', '2026-11-20 X 09:30 2', '2026-11-20 X 09:31 3');
    const joined = joinBars(collected('X', '2026-11-19 X 09:30 1', '2026-11-20 X 09:30 9'), later);
    expect(joined.get('X')!.bars.map(({ close }) => close)).toEqual([1, 2, 3]);
  });
});

describe('the request of a chart', () => {
  it('has the dates, columns and interval of the chart, and the rest of the query', () => {
    const request = requestFor({
      ...{ from: '2026-01-02', to: '2026-02-02', period: '2Y', columns: 'Volume' },
      ...{ sort: '-TradeDate', version: '7', filters: ['Ticker.like=A*'] },
    });
    const span = { first: '2026-10-01', last: '2026-11-20', interval: '1h' } as const;
    const path = decodeURIComponent(requestPath(barRequest(request, PLAN, SHAPE, span)));
    expect(path).toContain('TradeDate.ge=2026-10-01&TradeDate.le=2026-11-20');
    expect(path).toContain(`columns=${NAMES.join(',')}&interval=1h`);
    expect(path).toContain('Ticker.like=A*');
    expect(path).toContain('dataset_version=7');
    expect(path).not.toMatch(/sort|period|2026-01-02/);
    const stored = barRequest(request, PLAN, SHAPE, { ...span, interval: '1m' });
    expect(requestPath(stored)).not.toContain('interval');
    expect(filteredColumns(request)).toEqual(['Ticker']);
    expect(symbolsOf(requestFor({ identifier: 'AVQX, DLMR' }), SHAPE)).toEqual(['AVQX', 'DLMR']);
  });
});

describe('what a chart begins with', () => {
  it('is the newest days, or the dates of the query, or the range that was chosen', () => {
    const plain = barView(requestFor({}), PLAN, SHAPE, WHOLE, NO_CHOICE);
    expect(plain).toMatchObject({ first: '2026-11-14', interval: '5m', range: '5D' });
    const dated = requestFor({ from: '2026-06-01', to: '2026-06-30' });
    const view = barView(dated, PLAN, SHAPE, WHOLE, NO_CHOICE);
    expect(view).toMatchObject({ first: '2026-06-01', interval: '15m', range: null });
    expect(view.limits.last).toBe('2026-06-30');
    const chosen = barView(dated, PLAN, SHAPE, WHOLE, { range: '1Y', interval: '1m' });
    expect(chosen).toMatchObject({ first: '2025-06-30', interval: '1m', range: '1Y' });
  });

  it('is never outside of what the account may read', () => {
    const rules = [{ start_date: '2026-10-01', end_date: '2026-10-31', universe_identifiers: [] }];
    const view = barView(requestFor({}), PLAN, { ...SHAPE, rules }, WHOLE, {
      ...{ range: '1Y', interval: null },
    });
    expect(view).toMatchObject({ first: '2026-10-01' });
    expect(view.limits).toMatchObject({ floor: '2026-10-01', last: '2026-10-31' });
  });
});

describe('the legend', () => {
  const LOOKS = { isDaily: false, hasVolume: true, digits: 2 };

  it('tells the bar at or before a moment', () => {
    const bars = collected('X', '2026-11-20 X 09:30 2', '2026-11-20 X 09:31 3');
    const [first, second] = timesOf(bars) as [number, number];
    expect(indexAt(bars.get('X')!.bars, first - 1)).toBe(-1);
    expect(legendText(legendAt({ bars, isCompared: false, ...LOOKS }, second, first))).toBe(
      'Time 2026-11-20 09:31:00, Open 3.00, High 3.00, Low 3.00, Close 3.00, Volume 100',
    );
  });

  it('tells several symbols by their distance from the first bar in sight', () => {
    const bars = collected(
      null,
      ...['2026-11-20 X 09:30 2', '2026-11-20 X 09:31 3', '2026-11-20 Y 09:30 4'],
    );
    const [first, second] = timesOf(bars) as [number, number];
    const entries = legendAt({ bars, isCompared: true, ...LOOKS }, second, first);
    expect(legendText(entries)).toBe(
      'Time 2026-11-20 09:31:00, X 3.00 (+50.00 %), Y 4.00 (+0.00 %)',
    );
  });
});
