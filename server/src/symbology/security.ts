/** Securities with their symbols, names and identifiers, by the security master. */

import type { Column } from '../catalog/dataset.ts';
import { type ColumnBatch, mapRows } from '../engine/columns.ts';

/** A value, and the first and last date on which it held. */
export interface Dated {
  readonly value: string;
  /** `YYYY-MM-DD`. */
  readonly start: string;
  /** Included; `OPEN_END` while it still holds. */
  readonly end: string;
}

/** As the security master writes that a period has not ended. */
export const OPEN_END = '2099-12-31';
const EARLIEST = '0001-01-01';

export interface Security {
  /** Number of the security as issued. */
  readonly secId: number | null;
  /** Permanent number, through changes of symbol and restructurings. */
  readonly asid: number | null;
  /** `L` while listed, `D` once delisted, `A` when a listing is announced. */
  readonly listStatus: string | null;
  readonly description: string | null;
  readonly sedol: string | null;
  /** The rest in the order of time. */
  readonly tickers: readonly Dated[];
  readonly names: readonly Dated[];
  readonly isins: readonly Dated[];
  readonly cusips: readonly Dated[];
  readonly exchanges: readonly Dated[];
  /** Without dates of their own. */
  readonly figis: readonly Dated[];
}

/** A value without dates holds at any time. */
export function always(value: string): Dated {
  return { value, start: EARLIEST, end: OPEN_END };
}

const PERIOD = /^(\d{4})(\d\d)(\d\d):(\d{4})(\d\d)(\d\d)$/;

/** Values and periods `yyyymmdd:yyyymmdd` by position; without one, always. */
export function datedValues(
  values: readonly string[] | null,
  periods: readonly string[] | null,
): Dated[] {
  const dated = (values ?? []).map((value, i): Dated => {
    const [, y1, m1, d1, y2, m2, d2] = PERIOD.exec(periods?.[i] ?? '') ?? [];
    return y1 === undefined
      ? always(value)
      : { value, start: `${y1}-${m1}-${d1}`, end: `${y2}-${m2}-${d2}` };
  });
  return dated.filter(({ value }) => value !== '').sort((a, b) => (a.start < b.start ? -1 : 1));
}

/** The one that holds on a date, or else the last before it, or else the first. */
export function valueOn(dated: readonly Dated[], date: string): string | null {
  const begun = dated.findLast(({ start }) => start <= date);
  return (begun ?? dated[0])?.value ?? null;
}

/** The last date of a period; null while it has not ended. */
export function endOf(end: string): string | null {
  return end >= OPEN_END ? null : end;
}

/** The dataset, by its text id. */
export const SECURITY_MASTER = 'eq_sec_master';

/** The columns that are read. */
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
/** The columns that say which company had which ticker. */
export const TICKER_COLUMNS = [
  'SecId',
  'ASID',
  'Ticker',
  'TickerStartToEndDate',
] as const satisfies readonly MasterColumn[];

/** The column with the periods of the values in the same places of another, if there is one. */
export const periodColumn = (name: string): string => `${name}StartToEndDate`;

function securityOf(cell: (name: MasterColumn) => unknown): Security {
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
  return mapRows(columns, batch, securityOf);
}
