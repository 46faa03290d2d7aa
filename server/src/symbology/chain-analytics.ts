/** The analytics of a root's contracts on the last date that has any. Pure. */
import type { Column } from '../catalog/dataset.ts';
import { type CellValue, type ColumnBatch, dateOfDays } from '../engine/columns.ts';
import { cellReader } from './batch-cells.ts';
import { contractKey, isCallPut } from './option-contract.ts';

/** The dataset, by its text id. */
export const OPTION_ANALYTICS = 'opt_greeks_daily';

const VALUE_COLUMNS = [
  ...(['MidImpliedVol', 'MidTheoPrice', 'MidDelta', 'MidGamma', 'MidTheta'] as const),
  ...(['MidVega', 'MidRho'] as const),
] as const;

export const ANALYTICS_COLUMNS = [
  ...(['TradeDate', 'Ticker', 'CallPut', 'Strike', 'Expiration', 'OptionStyle'] as const),
  ...VALUE_COLUMNS,
  'ImpliedVolConvergence',
] as const;

type ValueColumn = (typeof VALUE_COLUMNS)[number];

export interface ContractAnalytics {
  readonly style: string | null;
  readonly convergence: string | null;
  readonly values: Readonly<Record<ValueColumn, number | null>>;
}

export class ChainAnalytics {
  /** Of the rows that are kept; null: there was none. */
  date: string | null = null;
  readonly #columns: readonly Column[];
  readonly #contracts = new Map<string, ContractAnalytics>();

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  /** Rows in the order of their dates: a later date does away with the one before. */
  take(batch: ColumnBatch): void {
    const cellAt = cellReader<(typeof ANALYTICS_COLUMNS)[number]>(this.#columns, batch);
    for (let row = 0; row < batch.rowCount; row++) {
      const date = dateOfDays(cellAt('TradeDate', row) as number);
      if (date !== this.date) this.#contracts.clear();
      this.date = date;
      this.#add((name) => cellAt(name, row));
    }
  }

  get(key: string): ContractAnalytics | null {
    return this.#contracts.get(key) ?? null;
  }

  #add(cell: (name: (typeof ANALYTICS_COLUMNS)[number]) => CellValue): void {
    const [root, days, strike] = [cell('Ticker'), cell('Expiration'), cell('Strike')];
    const callPut = cell('CallPut');
    if (root === null || days === null || strike === null || !isCallPut(callPut)) return;
    const expiration = dateOfDays(days as number);
    const terms = { root: root as string, expiration, strike: strike as number, callPut };
    const values = VALUE_COLUMNS.map((name) => [name, cell(name) as number | null]);
    this.#contracts.set(contractKey(terms), {
      style: cell('OptionStyle') as string | null,
      convergence: cell('ImpliedVolConvergence') as string | null,
      values: Object.fromEntries(values),
    });
  }
}
