/** Option contracts by the symbol that OCC names them by, as the master of contracts tells them. Pure. */
import type { Column } from '../catalog/dataset.ts';
import { type CellValue, type ColumnBatch, dateOfDays } from '../engine/columns.ts';

/** The dataset, by its text id. */
export const CONTRACT_MASTER = 'opt_contr_sec_master';

/** Those of its columns that are read. */
export const CONTRACT_COLUMNS = [
  'ASID',
  'UnderTicker',
  'OsiSymbol',
  'FirstTradeDate',
  'LastTradeDate',
  'ListStatus',
] as const;

export interface Contract {
  /** Of 21 characters. */
  readonly osiSymbol: string;
  /** Permanent number of the root. */
  readonly asid: number | null;
  readonly underlying: string | null;
  /** First and last day of trading. */
  readonly start: string | null;
  readonly end: string | null;
  readonly listStatus: string | null;
}

const OSI = /^([A-Z0-9]{1,6}) *(\d{6}[CP]\d{8})$/;
const ROOT_LENGTH = 6;

/** In words, to be read after 'should be'. */
export const OSI_LEGAL =
  'a root, the expiration as yymmdd, C or P, and the strike in thousandths with 8 digits, ' +
  'such as AAPL240119C00190000';

/** The symbol with its root padded, as it is stored; null for a text that is none. */
export function storedOsiSymbol(text: string): string | null {
  const [, root, contract] = OSI.exec(text) ?? [];
  return root && contract ? `${root.padEnd(ROOT_LENGTH)}${contract}` : null;
}

type CellOf = (name: (typeof CONTRACT_COLUMNS)[number]) => CellValue;

function contractOf(cell: CellOf): Contract {
  const date = (days: CellValue) => (days === null ? null : dateOfDays(days as number));
  const asid = cell('ASID');
  return {
    osiSymbol: cell('OsiSymbol') as string,
    asid: asid === null ? null : Number(asid),
    underlying: cell('UnderTicker') as string | null,
    start: date(cell('FirstTradeDate')),
    end: date(cell('LastTradeDate')),
    listStatus: cell('ListStatus') as string | null,
  };
}

/** The contracts of a batch with these columns. */
export function contractsOf(columns: readonly Column[], batch: ColumnBatch): Contract[] {
  const places = new Map(columns.map(({ name }, c) => [name, c]));
  return Array.from({ length: batch.rowCount }, (_, row) =>
    contractOf((name) => {
      const vector = batch.columns[places.get(name) ?? -1];
      if (!vector || ('nulls' in vector && vector.nulls?.[row] === 1)) return null;
      return vector.values[row] ?? null;
    }),
  );
}
