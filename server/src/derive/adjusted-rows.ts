/** Rows restated by the adjustment factors of their securities. */
import { createHash } from 'node:crypto';
import { buildFactorTable } from '@ticklake/market/adjustment.ts';
import { isFactorColumn, ROW_KEYS, restateBatch, vectorsOf } from '../adjustments/restate-batch.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { type ColumnBatch, takeRows } from '../engine/columns.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';
import { type FactorEvents, readFactorEvents } from './adjustment-events.ts';
import type { Computation, ComputationInput } from './computation.ts';
import { warnOfJumps } from './price-jumps.ts';

const RULE_VERSION = 2;

/** The columns of the raw rows; the last two of the output are the factors. */
function rawColumnsOf({ columns }: Dataset): string[] {
  return columns.map(({ name }) => name).filter((name) => !isFactorColumn(name));
}

/**
 * The rows whose factors are known. A row without an id whose ticker has factors is left out: nobody could
 * tell whose factors they are, and unadjusted it would be wrong.
 */
function knownRows(
  { output, inputs: [, factors], warn }: ComputationInput,
  batch: ColumnBatch,
  { tickers }: FactorEvents,
): ColumnBatch {
  const vectorAt = vectorsOf(rawColumnsOf(output), batch);
  const idOf = doubleReader(vectorAt(ROW_KEYS.asid));
  const tickerOf = textReader(vectorAt(ROW_KEYS.ticker));
  const known: number[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    const ticker = tickerOf(row);
    if (!Number.isNaN(idOf(row)) || ticker === null || !tickers.has(ticker)) known.push(row);
    else {
      warn(
        `rows of ${ticker} are left out: ${factors?.textId} has factors for ${ticker}, ` +
          'but the rows have no ASID',
      );
    }
  }
  return known.length === batch.rowCount ? batch : takeRows(batch, known);
}

async function* adjustRows(
  input: ComputationInput,
  events: FactorEvents,
): AsyncIterable<ColumnBatch> {
  const { inputs, output, dates, read } = input;
  const [rows] = inputs;
  if (!rows) return;
  await warnOfJumps(input, events.events);
  const table = buildFactorTable(events.events);
  const names = rawColumnsOf(output);
  for await (const batch of read(rows, names, dates)) {
    const known = knownRows(input, batch, events);
    yield restateBatch(output.columns, known.rowCount, vectorsOf(names, known), table);
  }
}

export const ADJUSTED_ROWS: Computation = {
  ruleVersion: RULE_VERSION,
  async prepare(input) {
    const events = await readFactorEvents(input);
    const text = JSON.stringify([events.events, [...events.tickers]]);
    const mark = createHash('sha256').update(text).digest('hex');
    return { mark, rows: () => adjustRows(input, events) };
  },
};
