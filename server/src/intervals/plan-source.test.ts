import { describe, expect, it } from 'vitest';
import { sampleDataset } from '../../test/lake/sample-dataset.ts';
import { FactorTables } from '../adjustments/factor-events.ts';
import { ApiError } from '../base/errors.ts';
import { type BarRules, barRulesOf } from '../catalog/interval.ts';
import { batchOfRows, type ColumnBatch } from '../engine/columns.ts';
import { type Row, rowsOfBatch } from '../engine/conformance/select-rows.ts';
import { planOver } from '../engine/conformance/tested-engine.ts';
import { WalkPositions } from '../engine/walk-positions.ts';
import { planSource, type RowTools } from './plan-source.ts';

const toolsOf = (engine: RowTools['engine']): RowTools => ({
  ...{ engine, factorTables: new FactorTables(), madeWalks: new WalkPositions() },
});
const never = new AbortController().signal;

const unasked = () => {
  throw new Error('nobody asks for this');
};
const ENGINE = {
  ...{ scan: unasked, parquet: unasked, writeParquet: unasked },
  ...{ sortRows: unasked, aggregate: unasked },
};

/** Stored bars without end, each of a minute more than an hour after the one before. */
async function* endless(columns: Parameters<typeof batchOfRows>[0], onBatch: () => void) {
  for (let at = 0n; ; ) {
    const rows = Array.from({ length: 10_000 }, () => {
      const time = 1_700_000_000_000_000_000n + at++ * 3_700_000_000_000n;
      return columns.map(({ name }) => ({ TradeDate: 20_000, EventDateTime: time })[name] ?? null);
    });
    onBatch();
    yield batchOfRows(columns, rows);
  }
}

describe('the page after another', () => {
  const rules = barRulesOf({ time: 'EventDateTime', by: ['Ticker'] }) as BarRules;
  const dataset = { ...sampleDataset(), intervals: rules };
  /** Noon of each day. */
  const noonOf = (day: number) => BigInt(day) * 86_400_000_000_000n + 61_200_000_000_000n;

  /** 30 minute bars in each hour of 60 days, in batches of 100, and the offset of each scan. */
  function storedBars() {
    const offsets: number[] = [];
    const rows = Array.from({ length: 60 * 120 }, (_, at) => {
      const day = 20_000 + Math.floor(at / 120);
      const minute = Math.floor((at % 120) / 30) * 60 + (at % 30);
      return { TradeDate: day, EventDateTime: noonOf(day) + BigInt(minute) * 60_000_000_000n };
    });
    const scan: RowTools['engine']['scan'] = async function* ({ columns, offset }) {
      offsets.push(offset);
      for (let at = offset; at < rows.length; at += 100) {
        const some = rows.slice(at, at + 100);
        const cellOf = (row: Record<string, number | bigint>, name: string) => row[name] ?? null;
        yield batchOfRows(
          columns,
          some.map((row) => columns.map(({ name }) => cellOf(row, name))),
        );
      }
    };
    return { offsets, scan };
  }

  async function readPages(interval: '1h' | '1mo', limit: number) {
    const { offsets, scan } = storedBars();
    const tools = toolsOf({ ...ENGINE, scan });
    const column = dataset.columnByName.get('EventDateTime')!;
    const walk = { bars: { interval, firstDate: null }, columns: [column], limit };
    const read = async (each: RowTools, offset: number, page: number) => {
      const plan = planOver(dataset, [], { ...walk, offset, limit: page });
      const rows: Row[] = [];
      for await (const batch of planSource(each, plan, never).rows()) {
        rows.push(...rowsOfBatch(batch));
      }
      return rows;
    };
    const found: Row[] = [];
    for (let offset = 0, isMore = true; isMore; offset += limit) {
      const page = await read(tools, offset, limit);
      found.push(...page.slice(0, limit));
      isMore = page.length > limit;
    }
    const whole = await read(toolsOf({ ...ENGINE, scan }), 0, 100_000);
    return { found, whole, offsets: offsets.slice(0, -1) };
  }

  it('begins with the stored bar that its first one begins with', async () => {
    const { found, whole, offsets } = await readPages('1h', 70);
    expect(whole).toHaveLength(240);
    expect(found).toEqual(whole);
    expect(offsets).toEqual([0, 70 * 30, 140 * 30, 210 * 30]);
  });

  it('begins with the month of its first bar, where it is of months', async () => {
    const { found, whole, offsets } = await readPages('1mo', 1);
    expect(whole).toHaveLength(3);
    expect(found).toEqual(whole);
    const [first, ...others] = offsets;
    expect(first).toBe(0);
    expect(others.every((offset) => offset > 0)).toBe(true);
  });
});

it('a sort of more rows than can be is refused as soon as there are so many, naming sort', async () => {
  const rules = barRulesOf({ time: 'EventDateTime', by: ['Ticker'] }) as BarRules;
  const dataset = { ...sampleDataset(), intervals: rules };
  const column = dataset.columnByName.get('Ticker')!;
  const plan = planOver(dataset, [], {
    bars: { interval: '1h', firstDate: null },
    columns: [column],
    sort: [{ column, descending: true }],
  });
  let batchCount = 0;
  const engine: RowTools['engine'] = {
    ...ENGINE,
    scan: ({ columns }) => endless(columns, () => batchCount++),
    sortRows: async function* (_, rows, signal): AsyncIterable<ColumnBatch> {
      yield* rows(signal);
    },
  };
  const source = planSource(toolsOf(engine), plan, never, 30_000);
  const refusal = await Array.fromAsync(source.rows()).catch((error) => error);
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({
    kind: 'invalid',
    detail: [{ loc: ['query', 'sort'], type: 'too_many_rows', input: '-Ticker' }],
  });
  expect(refusal.detail[0].msg).toContain('At most 30,000 rows');
  expect(batchCount).toBeLessThan(8);
});
