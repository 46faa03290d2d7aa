/** Terms of option contracts, and filters on them. Pure. */

import type { Column } from '../catalog/dataset.ts';
import { type CellValue, type ColumnBatch, dateOfDays, mapRows } from '../engine/columns.ts';

export type CallPut = 'C' | 'P';

export interface ContractTerms {
  readonly root: string;
  /** `YYYY-MM-DD`. */
  readonly expiration: string;
  /** Dollars. */
  readonly strike: number;
  readonly callPut: CallPut;
}

export function isCallPut(text: unknown): text is CallPut {
  return text === 'C' || text === 'P';
}

/** Equal for the same contract alone. */
export function contractKey({ root, expiration, strike, callPut }: ContractTerms): string {
  return `${expiration} ${strike} ${callPut} ${root}`;
}

/** By expiration, strike, right and root. */
export function compareTerms(a: ContractTerms, b: ContractTerms): number {
  if (a.expiration !== b.expiration) return a.expiration < b.expiration ? -1 : 1;
  if (a.strike !== b.strike) return a.strike - b.strike;
  if (a.callPut !== b.callPut) return a.callPut < b.callPut ? -1 : 1;
  return a.root < b.root ? -1 : Number(a.root > b.root);
}

/** Both ends inclusive; null: open. */
export interface Range<T> {
  readonly from: T | null;
  readonly to: T | null;
}

/** The contracts that are wanted; null: of any root, right, expiration or strike. */
export interface ContractFilter {
  readonly root: string | null;
  readonly expiration: string | null;
  readonly strike: number | null;
  readonly expirations: Range<string>;
  readonly strikes: Range<number>;
  readonly callPut: CallPut | null;
}

const isAny = <T>(wanted: T | null, value: T) => wanted === null || wanted === value;

function isWithin<T extends string | number>({ from, to }: Range<T>, value: T): boolean {
  return (from === null || value >= from) && (to === null || value <= to);
}

export function isWanted(filter: ContractFilter, terms: ContractTerms): boolean {
  return (
    isAny(filter.root, terms.root) &&
    isAny(filter.callPut, terms.callPut) &&
    isAny(filter.expiration, terms.expiration) &&
    isAny(filter.strike, terms.strike) &&
    isWithin(filter.expirations, terms.expiration) &&
    isWithin(filter.strikes, terms.strike)
  );
}

/** The root of an underlying's options as a rule: its symbol without punctuation. */
export function usualRoot(underlying: string): string {
  return underlying.replaceAll(/[^\p{L}\p{N}]/gu, '') || underlying;
}

/** The dataset, by its text id. */
export const CONTRACT_MASTER = 'opt_contr_sec_master';

/** The columns that are read. */
export const CONTRACT_COLUMNS = [
  'ASID',
  'UnderTicker',
  'OsiSymbol',
  'FirstTradeDate',
  'LastTradeDate',
  'ListStatus',
] as const;

export interface Contract {
  /** The symbol of 21 characters. */
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

/** The date of a day since 1970. */
export const dateOrNull = (days: CellValue) => (days === null ? null : dateOfDays(days as number));
export const textOrNull = (cell: CellValue) => cell as string | null;
export const numberOrNull = (cell: CellValue) => (cell === null ? null : Number(cell));

function contractOf(cell: CellOf): Contract {
  return {
    osiSymbol: cell('OsiSymbol') as string,
    asid: numberOrNull(cell('ASID')),
    underlying: textOrNull(cell('UnderTicker')),
    start: dateOrNull(cell('FirstTradeDate')),
    end: dateOrNull(cell('LastTradeDate')),
    listStatus: textOrNull(cell('ListStatus')),
  };
}

/** The contracts of a batch with these columns. */
export function contractsOf(columns: readonly Column[], batch: ColumnBatch): Contract[] {
  return mapRows(columns, batch, contractOf);
}
