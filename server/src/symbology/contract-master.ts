/** The terms of the contracts on an underlying, as the master of contracts tells them. Pure. */
import type { Column } from '../catalog/dataset.ts';
import { type CellValue, type ColumnBatch, dateOfDays } from '../engine/columns.ts';
import { cellReader } from './batch-cells.ts';
import { type ContractTerms, isCallPut } from './option-contract.ts';

export const MASTER_COLUMNS = [
  ...(['ASID', 'OptionTicker', 'Expiration', 'CallPut', 'Strike', 'OsiSymbol'] as const),
  ...(['OptionStyle', 'SettlType', 'Multiplier', 'IsWeekly'] as const),
  ...(['FirstTradeDate', 'LastTradeDate'] as const),
] as const;

export interface ListedContract {
  readonly terms: ContractTerms;
  /** Permanent number of the root. */
  readonly asid: number | null;
  readonly osiSymbol: string | null;
  /** A: American, E: European. */
  readonly style: string | null;
  /** AM or PM. */
  readonly settlement: string | null;
  readonly multiplier: number | null;
  readonly isWeekly: boolean | null;
  readonly firstTradeDate: string | null;
  readonly lastTradeDate: string | null;
}

const dateOrNull = (days: CellValue) => (days === null ? null : dateOfDays(days as number));
const textOrNull = (cell: CellValue) => cell as string | null;
const numberOrNull = (cell: CellValue) => (cell === null ? null : Number(cell));

function termsOf(
  root: CellValue,
  days: CellValue,
  strike: CellValue,
  callPut: CellValue,
): ContractTerms | null {
  if (root === null || days === null || strike === null || !isCallPut(callPut)) return null;
  const expiration = dateOfDays(days as number);
  return { root: root as string, expiration, strike: strike as number, callPut };
}

/** Those of a batch with these columns that say which contract they are. */
export function listedContracts(columns: readonly Column[], batch: ColumnBatch): ListedContract[] {
  const cellAt = cellReader<(typeof MASTER_COLUMNS)[number]>(columns, batch);
  return Array.from({ length: batch.rowCount }).flatMap((_, row) => {
    const cell = (name: (typeof MASTER_COLUMNS)[number]) => cellAt(name, row);
    const terms = termsOf(
      cell('OptionTicker'),
      cell('Expiration'),
      cell('Strike'),
      cell('CallPut'),
    );
    if (terms === null) return [];
    const weekly = textOrNull(cell('IsWeekly'));
    return [
      {
        terms,
        asid: numberOrNull(cell('ASID')),
        osiSymbol: textOrNull(cell('OsiSymbol')),
        style: textOrNull(cell('OptionStyle')),
        settlement: textOrNull(cell('SettlType')),
        multiplier: numberOrNull(cell('Multiplier')),
        isWeekly: weekly === null ? null : weekly === 'Y',
        firstTradeDate: dateOrNull(cell('FirstTradeDate')),
        lastTradeDate: dateOrNull(cell('LastTradeDate')),
      },
    ];
  });
}

/** Whether it can be traded on a date, as far as is known. */
export function isListedOn({ terms, firstTradeDate, lastTradeDate }: ListedContract, date: string) {
  return (firstTradeDate ?? date) <= date && (lastTradeDate ?? terms.expiration) >= date;
}
