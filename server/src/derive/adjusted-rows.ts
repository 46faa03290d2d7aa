/** Rows restated by the adjustment factors of their securities. */
import { createHash } from 'node:crypto';
import {
  ADJUSTMENT_COLUMNS,
  type AdjustmentFactors,
  adjustTable,
  buildFactorTable,
  type FactorTable,
  isAdjusted,
} from '@ticklake/market/adjustment.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { type ColumnBatch, type ColumnVector, dateOfDays, takeRows } from '../engine/columns.ts';
import { cellsOf } from '../engine/row-cells.ts';
import { type FactorEvents, readFactorEvents } from './adjustment-events.ts';
import type { Computation, ComputationInput } from './computation.ts';
import { doubleReader, doublesOf, textReader } from './gathered-columns.ts';

const RULE_VERSION = 1;
const UNADJUSTED: AdjustmentFactors = { price: 1, volume: 1 };

/** The factors of rows that come by day and security, so that most are those of the row before. */
function factorsByRow(table: FactorTable, day: ColumnVector, asid: ColumnVector) {
  const [dayOf, idOf] = [doubleReader(day), doubleReader(asid)];
  let known = { day: Number.NaN, id: Number.NaN, factors: UNADJUSTED };
  return (row: number): AdjustmentFactors => {
    const [rowDay, id] = [dayOf(row), idOf(row)];
    if (Number.isNaN(id)) return UNADJUSTED;
    if (rowDay !== known.day || id !== known.id) {
      known = { day: rowDay, id, factors: table.factorsOn(id, dateOfDays(rowDay)) };
    }
    return known.factors;
  };
}

function vectorOf(column: Column, values: Float64Array): ColumnVector {
  const cells = cellsOf(column, values.length);
  cells.fillNumbers(0, values);
  return cells.vector(values.length);
}

/** The columns of the raw rows; the last two of the output are the factors. */
function rawColumnsOf({ columns }: Dataset): Column[] {
  return columns.filter(({ name }) => !(ADJUSTMENT_COLUMNS as readonly string[]).includes(name));
}

type VectorAt = (name: string) => ColumnVector;

function vectorAtOf(raw: readonly Column[], batch: ColumnBatch): VectorAt {
  return (name) => batch.columns[raw.findIndex((column) => column.name === name)] as ColumnVector;
}

function adjustBatch(output: Dataset, batch: ColumnBatch, factors: FactorTable): ColumnBatch {
  const raw = rawColumnsOf(output);
  const vectorAt = vectorAtOf(raw, batch);
  const { rowCount } = batch;
  const names = raw.filter(({ name }) => isAdjusted(name)).map(({ name }) => name);
  const values = names.map((name) => doublesOf(vectorAt(name), rowCount));
  const factorsOf = factorsByRow(factors, vectorAt('TradeDate'), vectorAt('ASID'));
  const table = adjustTable({ columns: names, rowCount, values }, factorsOf);
  const columns = output.columns.map((column) => {
    const at = table.columns.indexOf(column.name);
    return at < 0 ? vectorAt(column.name) : vectorOf(column, table.values[at] as Float64Array);
  });
  return { rowCount, columns };
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
  const vectorAt = vectorAtOf(rawColumnsOf(output), batch);
  const [idOf, tickerOf] = [doubleReader(vectorAt('ASID')), textReader(vectorAt('Ticker'))];
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
  const table = buildFactorTable(events.events);
  const names = rawColumnsOf(output).map(({ name }) => name);
  for await (const batch of read(rows, names, dates)) {
    yield adjustBatch(output, knownRows(input, batch, events), table);
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
