/** How the files of each kind are read. */
import { futuresContract, optionContract } from './contracts.ts';
import { readFactorRow } from './factor-rows.ts';
import { type KindReader, plainReader, type Reading, recordsOf } from './feed.ts';
import { readMapRow } from './map-rows.ts';
import {
  readDailyBar,
  readEquityQuoteTick,
  readEquityTradeTick,
  readFuturesTradeTick,
  readOpenInterest,
  readPlainQuoteBar,
  readPlainTradeBar,
  readScaledQuoteBar,
  readScaledTradeBar,
} from './records.ts';
import { filesOf, type LeanKind } from './scan-folder.ts';

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
type ContractOf<K extends TextKind> = ReturnType<ReaderOf<K>['contract']>;

/** The records of all files of a kind, in the order of the files' names. */
export function kindRecords<K extends TextKind>(reading: Reading, kind: K) {
  const reader = KIND_READERS[kind] as unknown as KindReader<RecordOf<K>, ContractOf<K>>;
  return recordsOf(filesOf(reading.folder, kind), reader, reading.badRows);
}
