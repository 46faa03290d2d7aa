/** Rows of the security master -> securities. */
import type { Column } from '../catalog/dataset.ts';
import { type ColumnBatch, type ColumnVector, cellAt } from '../engine/columns.ts';
import { always, datedValues, type Security } from './security.ts';

/** The dataset, by its text id. */
export const SECURITY_MASTER = 'eq_sec_master';

/** Those of its columns that are read. */
export const MASTER_COLUMNS = [
  'SecId',
  'ASID',
  'ListStatus',
  'SecurityDescription',
  'SEDOL',
  'Ticker',
  'TickerStartToEndDate',
  'Name',
  'NameStartToEndDate',
  'ISIN',
  'ISINStartToEndDate',
  'USIdentifier',
  'USIdentifierStartToEndDate',
  'PrimaryExchange',
  'PrimaryExchangeStartToEndDate',
  'FIGI',
] as const;

export type MasterColumn = (typeof MASTER_COLUMNS)[number];
/** Those that say which company had which ticker. */
export const TICKER_COLUMNS = [
  'SecId',
  'ASID',
  'Ticker',
  'TickerStartToEndDate',
] as const satisfies readonly MasterColumn[];

type CellOf = (name: MasterColumn) => unknown;

function securityOf(cell: CellOf): Security {
  const number = (name: MasterColumn) => {
    const value = cell(name);
    return value === null ? null : Number(value);
  };
  const text = (name: MasterColumn) => (cell(name) as string | null) || null;
  const texts = (name: MasterColumn) => cell(name) as readonly string[] | null;
  const dated = (name: MasterColumn, periods: MasterColumn) =>
    datedValues(texts(name), texts(periods));
  return {
    secId: number('SecId'),
    asid: number('ASID'),
    listStatus: text('ListStatus'),
    description: text('SecurityDescription'),
    sedol: text('SEDOL'),
    tickers: dated('Ticker', 'TickerStartToEndDate'),
    names: dated('Name', 'NameStartToEndDate'),
    isins: dated('ISIN', 'ISINStartToEndDate'),
    cusips: dated('USIdentifier', 'USIdentifierStartToEndDate'),
    exchanges: dated('PrimaryExchange', 'PrimaryExchangeStartToEndDate'),
    figis: [...new Set(texts('FIGI') ?? [])].filter((figi) => figi !== '').map(always),
  };
}

/** The securities of a batch with these columns. */
export function securitiesOf(columns: readonly Column[], batch: ColumnBatch): Security[] {
  const places = new Map(columns.map(({ name }, c) => [name, c]));
  return Array.from({ length: batch.rowCount }, (_, row) =>
    securityOf((name) => {
      const place = places.get(name);
      return place === undefined ? null : cellAt(batch.columns[place] as ColumnVector, row);
    }),
  );
}
