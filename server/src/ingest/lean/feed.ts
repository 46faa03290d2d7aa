/** How LEAN's files become the rows of a dataset. Each feed fills one dataset. */
import type { CellValue } from '../../engine/columns.ts';
import type { Security } from '../../store/securities.ts';
import { BadField } from './fields.ts';
import type { Identities } from './identities.ts';
import type { MarketHours } from './market-hours.ts';
import { type BadRows, type RecordParser, readRecords } from './read-records.ts';
import type { LeanFile, LeanFolder, LeanKind } from './scan-folder.ts';
import { type TextSource, textSources } from './text-source.ts';

/** Cells by column name; a column that is absent is null. */
export type LeanRow = Readonly<Record<string, CellValue>>;

export interface Reading {
  readonly folder: LeanFolder;
  readonly hours: MarketHours;
  readonly badRows: BadRows;
  readonly identities: Identities;
  /** What the ledger knows by now. */
  readonly readSecurities: () => Promise<readonly Security[]>;
  /** Leave out ticks that LEAN marks as suspicious. */
  readonly dropSuspicious: boolean;
}

export interface Feed {
  /** Text id of the dataset. */
  readonly dataset: string;
  /** There is something to publish only where the folder has a file of one of these. */
  readonly kinds: readonly LeanKind[];
  /**
   * What its rows take the place of even where rows are added: all that there is, or all of the companies that
   * they are of. Absent: nothing.
   */
  readonly replaces?: 'all' | 'companies';
  /** Rows in feed order, in pieces of bounded size. May be called again. */
  rows(reading: Reading): AsyncGenerator<readonly LeanRow[]>;
}

/** How files of one kind are read. */
export interface KindReader<T, C> {
  readonly parse: RecordParser<T>;
  /** The contract that the name of a text tells; throws `BadField`. Null: names tell none. */
  readonly contract: (file: LeanFile, source: TextSource) => C;
}

/** A reader of files whose names tell no contract. */
export function plainReader<T>(parse: RecordParser<T>): KindReader<T, null> {
  return { parse, contract: () => null };
}

/** Returns what `read` gives, or undefined after counting the file as bad. */
export function countingBadName<C>(source: TextSource, badRows: BadRows, read: () => C) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadField)) throw error;
    badRows.add(source.name, 1, error);
    return undefined;
  }
}

/** All records of the given files, in pieces, each with its file and contract. */
export async function* recordsOf<T, C>(
  files: readonly LeanFile[],
  reader: KindReader<T, C>,
  badRows: BadRows,
): AsyncGenerator<{ file: LeanFile; contract: C; records: readonly T[] }> {
  for (const file of files) {
    for await (const source of textSources(file)) {
      const contract = countingBadName(source, badRows, () => reader.contract(file, source));
      if (contract === undefined) continue;
      for await (const records of readRecords(source, reader.parse, badRows)) {
        yield { file, contract, records };
      }
    }
  }
}

/** The ticker of a path: LEAN writes it in lower case, the market in upper case. */
export function tickerOf(file: LeanFile): string {
  return file.symbol.toUpperCase();
}
