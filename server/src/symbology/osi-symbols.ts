/** Option contracts by the symbol that OCC names them by, as the master of contracts tells them. Pure. */
import type { Column } from '../catalog/dataset.ts';
import { type CellValue, type ColumnBatch, dateOfDays } from '../engine/columns.ts';
import { cellReader } from './batch-cells.ts';
import type { ContractTerms } from './option-contract.ts';

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

const STRIKE_UNITS = 1000;
const STRIKE_DIGITS = 8;

/** The symbol of a contract, of 21 characters; null where the form has no room for it. */
export function osiSymbolOf({ root, expiration, callPut, strike }: ContractTerms): string | null {
  const units = Math.round(strike * STRIKE_UNITS);
  if (Math.abs(strike * STRIKE_UNITS - units) > 1e-6) return null;
  const day = expiration.slice(2).replaceAll('-', '');
  return storedOsiSymbol(`${root}${day}${callPut}${String(units).padStart(STRIKE_DIGITS, '0')}`);
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
  const cellAt = cellReader<(typeof CONTRACT_COLUMNS)[number]>(columns, batch);
  return Array.from({ length: batch.rowCount }, (_, row) =>
    contractOf((name) => cellAt(name, row)),
  );
}
