/** How LEAN's files become rows: the reader of each kind of file, and the feeds' interface. */
import type { CellValue } from '../../engine/columns.ts';
import type { Security } from '../../store/securities.ts';
import type { Identities } from './identities.ts';
import type { MarketHours } from './market-hours.ts';
import {
  BadField,
  dateOfCompact,
  readDailyBar,
  readEquityQuoteTick,
  readEquityTradeTick,
  readFactorRow,
  readFuturesTradeTick,
  readMapRow,
  readOpenInterest,
  readPlainQuoteBar,
  readPlainTradeBar,
  readScaledQuoteBar,
  readScaledTradeBar,
  scaledPrice,
} from './records.ts';
import { filesOf, type LeanFile, type LeanFolder, type LeanKind } from './scan-folder.ts';
import {
  type BadRows,
  type RecordParser,
  readRecords,
  type TextSource,
  textSources,
} from './text-source.ts';

/** Cells by column name; a column that is absent is null. */
export type LeanRow = Readonly<Record<string, CellValue>>;

export interface Reading {
  readonly folder: LeanFolder;
  readonly hours: MarketHours;
  readonly badRows: BadRows;
  readonly identities: Identities;
  /** All securities that the ledger knows by now. */
  readonly readSecurities: () => Promise<readonly Security[]>;
  /** Leave out ticks that LEAN marks as suspicious. */
  readonly dropSuspicious: boolean;
}

/** Fills one dataset. */
export interface Feed {
  /** Text id of the dataset. */
  readonly dataset: string;
  /** There is something to publish only where the folder has a file of one of these. */
  readonly kinds: readonly LeanKind[];
  /**
   * Published rows that its rows replace even where rows are added: all, or all of the companies
   * that they are of. Absent: none.
   */
  readonly replaces?: 'all' | 'companies';
  /** Rows in feed order, in pieces of bounded size. May be called again. */
  rows(reading: Reading): AsyncGenerator<readonly LeanRow[]>;
}

const OPTION_NAME = /_(?<right>call|put)_(?<strike>\d{1,15})_(?<expiry>\d{8})\.csv$/i;
const FUTURES_NAME = /_(?<year>\d{4})(?<month>0[1-9]|1[0-2])(?:_\d{8})?\.csv$/i;
const FILE_NAME = 'file name';
const MONTH_LETTERS = 'FGHJKMNQUVXZ';

interface OptionContract {
  readonly CallPut: 'C' | 'P';
  /** Dollars. */
  readonly Strike: number;
  readonly ExpirationDate: string;
}

function optionContract(_file: LeanFile, { fileName }: TextSource): OptionContract {
  const groups = OPTION_NAME.exec(fileName)?.groups;
  const expiry = dateOfCompact(groups?.expiry ?? '');
  if (!groups || expiry === null) {
    const reason = 'a name that ends in call or put, the strike times 10000 and the expiry date';
    throw new BadField(FILE_NAME, fileName, reason);
  }
  return {
    CallPut: groups.right?.toLowerCase() === 'call' ? 'C' : 'P',
    Strike: scaledPrice('strike')(groups.strike as string),
    ExpirationDate: expiry,
  };
}

interface FuturesContract {
  readonly Ticker: string;
  readonly BaseSymbol: string;
}

/** Root, month letter and one digit of the year, which names the contracts of ten years. */
function futuresContract(file: LeanFile, { fileName }: TextSource): FuturesContract {
  const { year, month } = FUTURES_NAME.exec(fileName)?.groups ?? {};
  if (year === undefined) {
    throw new BadField(FILE_NAME, fileName, 'a name that ends in the contract month YYYYMM');
  }
  const yearsAhead = Number(year) - Number(file.date.slice(0, 4));
  if (yearsAhead < 0 || yearsAhead > 9) {
    const reason = 'in the same year as the data or in the nine years after it';
    throw new BadField('contract month', `${year}${month}`, reason);
  }
  const root = file.symbol.toUpperCase();
  const letter = MONTH_LETTERS[Number(month) - 1];
  return { Ticker: `${root}${letter}${Number(year) % 10}`, BaseSymbol: root };
}

/** How files of one kind are read. */
export interface KindReader<T, C> {
  readonly parse: RecordParser<T>;
  /** The contract that the name of a text tells, null if names tell none; throws `BadField`. */
  readonly contract: (file: LeanFile, source: TextSource) => C;
}

/** A reader of files whose names tell no contract. */
function plainReader<T>(parse: RecordParser<T>): KindReader<T, null> {
  return { parse, contract: () => null };
}

/** Market hours are no text of lines. */
export type TextKind = Exclude<LeanKind, 'market hours'>;

export const KIND_READERS = {
  'equity tick trades': plainReader(readEquityTradeTick),
  'equity tick quotes': plainReader(readEquityQuoteTick),
  'equity minute trades': plainReader(readScaledTradeBar),
  'equity minute quotes': plainReader(readScaledQuoteBar),
  'equity daily bars': plainReader(readDailyBar),
  'map files': plainReader(readMapRow),
  'factor files': plainReader(readFactorRow),
  'option minute trades': { parse: readScaledTradeBar, contract: optionContract },
  'option open interest': { parse: readOpenInterest, contract: optionContract },
  'futures tick trades': { parse: readFuturesTradeTick, contract: futuresContract },
  'futures minute trades': { parse: readPlainTradeBar, contract: futuresContract },
  'futures open interest': { parse: readOpenInterest, contract: futuresContract },
  'futures minute quotes': { parse: readPlainQuoteBar, contract: futuresContract },
} satisfies Readonly<Record<TextKind, KindReader<unknown, unknown>>>;

type ReaderOf<K extends TextKind> = (typeof KIND_READERS)[K];
type RecordOf<K extends TextKind> = ReturnType<ReaderOf<K>['parse']>;
export type ContractOf<K extends TextKind> = ReturnType<ReaderOf<K>['contract']>;

/** The contract of a text of some kind; undefined after counting the text as bad. */
export function contractOf<K extends TextKind>(
  kind: K,
  file: LeanFile,
  source: TextSource,
  badRows: BadRows,
): ContractOf<K> | undefined {
  try {
    return KIND_READERS[kind].contract(file, source) as ContractOf<K>;
  } catch (error) {
    if (!(error instanceof BadField)) throw error;
    badRows.add(source.name, 1, error);
    return undefined;
  }
}

/** All records of files of one kind, in pieces, each with its file and contract. */
export async function* recordsOf<K extends TextKind>(
  kind: K,
  files: readonly LeanFile[],
  badRows: BadRows,
): AsyncGenerator<{
  file: LeanFile;
  contract: ContractOf<K>;
  records: readonly RecordOf<K>[];
}> {
  const parse = KIND_READERS[kind].parse as RecordParser<RecordOf<K>>;
  for (const file of files) {
    for await (const source of textSources(file)) {
      const contract = contractOf(kind, file, source, badRows);
      if (contract === undefined) continue;
      for await (const records of readRecords(source, parse, badRows)) {
        yield { file, contract, records };
      }
    }
  }
}

function isSuspicious(record: unknown): boolean {
  return (record as { readonly isSuspicious?: boolean }).isSuspicious === true;
}

/** The rows of all files of a kind, by file name. `rowsFor` is called for each piece. */
export function rowsOfKind<K extends TextKind>(
  kind: K,
  rowsFor: (
    reading: Reading,
    file: LeanFile,
    contract: ContractOf<K>,
  ) => (record: RecordOf<K>) => LeanRow | readonly LeanRow[],
): Feed['rows'] {
  return async function* (reading) {
    const { folder, badRows, dropSuspicious } = reading;
    for await (const piece of recordsOf(kind, filesOf(folder, kind), badRows)) {
      const { file, contract, records } = piece;
      const kept = dropSuspicious ? records.filter((each) => !isSuspicious(each)) : records;
      yield kept.flatMap(rowsFor(reading, file, contract));
    }
  };
}

/** The ticker of a path: LEAN writes it in lower case, the market in upper case. */
export function tickerOf(file: LeanFile): string {
  return file.symbol.toUpperCase();
}
