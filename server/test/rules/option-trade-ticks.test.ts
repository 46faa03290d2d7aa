/** The trades among the ticks of docs/rules/options.md, in whatever batches they come. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { OPTION_TRADE_TICKS } from '../../src/derive/option-computations.ts';
import { batchOfRows, type CellValue } from '../../src/engine/columns.ts';
import { docsTable } from '../docs-table.ts';
import { namedRows, nanosOfDay } from './example-ticks.ts';

const PAGE = 'rules/options.md';
const TICK = ['Tick', 'Action', 'Side', 'Price', 'Quantity', 'ConditionCode'] as const;
const TRADE = ['Trade', 'EventType', 'Price', 'Quantity', 'BidPrice', 'BidSize'] as const;
const ASK = ['AskPrice', 'AskSize', 'AskCondition'] as const;
const MIDNIGHT = BigInt(Date.parse('2026-10-16T04:00:00Z')) * 1_000_000n;

const catalog = loadCatalog([fileURLToPath(new URL('../../../datasets', import.meta.url))]);
const [ticks, trades] = ['opt_tanq', 'opt_trades'].map((id) => catalog.byTextId(id)) as [
  Dataset,
  Dataset,
];

type Cells = Readonly<Record<string, CellValue>>;

const of = (Ticker: string, callPut: string | null, strike: number): Cells => ({
  ...{ TradeDate: '2026-10-16', Ticker, CallPut: callPut, Strike: strike },
  ...{ ExpirationDate: '2026-11-20', UnderBidPrice: 100, UnderAskPrice: 100.02 },
});

/** Ticks of the page for each of the contracts in turn. */
function cellsOfTicks(contracts: readonly Cells[]): Cells[] {
  return namedRows(PAGE, ...TICK).flatMap((tick) =>
    contracts.map((contract) => ({
      ...contract,
      EventDateTime: MIDNIGHT + BigInt(nanosOfDay(tick.Tick)),
      ...{ Action: tick.Action, Side: tick.Side === '' ? null : tick.Side, EventType: 0n },
      ...{ Price: Number(tick.Price), Quantity: BigInt(tick.Quantity) },
      ...{ Exchange: 'CBOE', ConditionCode: tick.ConditionCode },
    })),
  );
}

async function computed(cells: readonly Cells[], batchRows: number, warnings: string[]) {
  const dates = { start: '2026-10-16', end: '2026-10-16' };
  const prepared = await OPTION_TRADE_TICKS.prepare({
    ...{ output: trades, inputs: [ticks], dates, warn: (text: string) => warnings.push(text) },
    async *read(_, names) {
      const columns = names.map((name) => ticks.columns.find((each) => each.name === name));
      for (let at = 0; at < cells.length; at += batchRows) {
        const rows = cells
          .slice(at, at + batchRows)
          .map((row) => names.map((name) => row[name] ?? null));
        yield batchOfRows(columns as Dataset['columns'][number][], rows);
      }
    },
  });
  const rows: Cells[] = [];
  for await (const batch of prepared.rows()) {
    for (let row = 0; row < batch.rowCount; row++) {
      const cell = (c: number): CellValue => {
        const vector = batch.columns[c];
        if (!vector || ('nulls' in vector && vector.nulls?.[row])) return null;
        return (vector.values[row] as CellValue) ?? null;
      };
      rows.push(Object.fromEntries(trades.columns.map(({ name }, c) => [name, cell(c)])));
    }
  }
  return rows;
}

/** As the documents write them. */
function textsOf({ EventDateTime, ...row }: Cells): string[] {
  const time = new Date(Number(((EventDateTime as bigint) - MIDNIGHT) / 1_000_000n));
  const cells = [...TRADE.slice(1), ...ASK].map((name) => `${row[name]}`);
  return [time.toISOString().slice(11, 19), ...cells];
}

it.each([1, 3, 1000])('in batches of %i are those that the page says', async (batchRows) => {
  const documented = docsTable(PAGE, ...TRADE, ...ASK);
  expect(documented.length).toBe(3);
  const contracts = [of('AAA', 'C', 100), of('AAA', 'P', 100)];
  const warnings: string[] = [];
  const cells = [...cellsOfTicks(contracts), ...cellsOfTicks([of('BBB', 'C', 100)]).slice(4)];
  const rows = await computed(cells, batchRows, warnings);
  for (const contract of contracts) {
    const own = rows.filter((row) => row.Ticker === 'AAA' && row.CallPut === contract.CallPut);
    expect(own.map(textsOf)).toEqual(documented);
  }
  const [first] = rows.filter(({ Ticker }) => Ticker === 'BBB');
  expect(first).toMatchObject({ EventType: 'T', BidPrice: null, AskPrice: null, AskSize: null });
  expect(first).toMatchObject({ UnderBidPrice: 100, UnderAskPrice: 100.02, UnderBidSize: null });
  expect(rows.map(({ CallPut }) => CallPut).join('')).toBe('CPCPCPCCC');
  expect(warnings).toEqual([]);
});

it('leave ticks out that do not say which contract they are of, and say so', async () => {
  const warnings: string[] = [];
  const rows = await computed(cellsOfTicks([of('AAA', null, 100)]), 1000, warnings);
  expect([rows, warnings]).toEqual([[], ['ticks of AAA without their contract are left out']]);
});
