/**
 * The datasets that entitlements are tried on, with what the interface says of each, written by
 * hand: which column dates its rows and which ones name what they are about.
 */
import fc from 'fast-check';
import type { Dataset } from '../../src/catalog/dataset.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { DATES } from '../oracle/random-rows.ts';

export interface Subject {
  readonly textId: string;
  readonly dateColumn: string | null;
  /** The columns that a universe's identifiers of letters are matched with. */
  readonly nameColumns: readonly string[];
  /** The column that its identifiers of digits are matched with; without one they are names too. */
  readonly idColumn: string | null;
  /** The things that rows are about. */
  readonly things: readonly Readonly<Record<string, CellValue>>[];
}

/** One ticker that two companies had in turn, one company with two tickers, two without an ASID. */
const SECURITIES = [
  { Ticker: 'AAA', ASID: 11n },
  { Ticker: 'AAB', ASID: 12n },
  { Ticker: 'AAA', ASID: 13n },
  { Ticker: 'B.C', ASID: 12n },
  { Ticker: 'É', ASID: 1010000000000014n },
  { Ticker: 'ZZ', ASID: null },
  { Ticker: 'AAB', ASID: null },
];

/** The histories of securities; the first ticker of the first one is reused by the third. */
const HISTORIES = [
  { Ticker: ['AAA'], ASID: 11n },
  { Ticker: ['AAB', 'B.C'], ASID: 12n },
  { Ticker: ['É', 'AAA'], ASID: 13n },
  { Ticker: [], ASID: 1010000000000014n },
  { Ticker: ['ZZ'], ASID: null },
  { Ticker: null, ASID: 11n },
];

/** Among them a base symbol that another one begins with. */
const CONTRACTS = [
  { Ticker: 'ESZ4', BaseSymbol: 'ES' },
  { Ticker: 'ESH5', BaseSymbol: 'ES' },
  { Ticker: 'EZ4', BaseSymbol: 'E' },
  { Ticker: 'NQZ4', BaseSymbol: 'NQ' },
  { Ticker: '6EZ4', BaseSymbol: null },
  { Ticker: '6', BaseSymbol: '6' },
];

const UNDERLYINGS = ['AAA', 'AAB', 'B.C', '7', 'É'];

const EQUITY = { nameColumns: ['Ticker'], idColumn: 'ASID', things: SECURITIES };
const FUTURES = { nameColumns: ['BaseSymbol', 'Ticker'], idColumn: null, things: CONTRACTS };

export const SUBJECTS: readonly Subject[] = [
  { textId: 'eq_taq', dateColumn: 'TradeDate', ...EQUITY },
  { textId: 'eq_daily_ohlc', dateColumn: 'TradeDate', ...EQUITY },
  { textId: 'eq_trades_1min', dateColumn: 'TradeDate', ...EQUITY },
  { textId: 'eq_ipo', dateColumn: 'FirstTradeDate', ...EQUITY },
  { textId: 'eq_secid_chains_lookup', dateColumn: null, ...EQUITY },
  { textId: 'eq_sec_master', dateColumn: null, ...EQUITY, things: HISTORIES },
  { textId: 'fut_trades', dateColumn: 'TradeDate', ...FUTURES },
  { textId: 'fut_taq_1min', dateColumn: 'TradeDate', ...FUTURES },
  {
    textId: 'opt_trades',
    dateColumn: 'TradeDate',
    nameColumns: ['Ticker'],
    idColumn: null,
    things: UNDERLYINGS.map((Ticker) => ({ Ticker })),
  },
  {
    textId: 'occ_list_opt_daily',
    dateColumn: 'TradeDate',
    nameColumns: ['UnderTicker'],
    idColumn: null,
    things: [...UNDERLYINGS, null].map((UnderTicker) => ({ UnderTicker })),
  },
];

/** Rows about the subject's things, each on one of its dates or, where that may be, on none. */
export function makeRowsAbout(
  { things, dateColumn }: Subject,
  dataset: Dataset,
  rows: readonly CellValue[][],
): CellValue[][] {
  return rows.map((row, i) => {
    const thing = things[i % things.length] as Readonly<Record<string, CellValue>>;
    return row.map((cell, c) => {
      const { name } = dataset.columns[c] as { name: string };
      if (name === dateColumn && cell !== null) return DATES[(i >> 3) % DATES.length] as string;
      return name in thing ? (thing[name] as CellValue) : cell;
    });
  });
}

/**
 * Everything that the subject's rows are called, in any column, and some that none is: among them
 * those that come before and after all others, so that no row group can hold them.
 */
export function namesOf({ things, nameColumns, idColumn }: Subject): string[] {
  const columns = [...nameColumns, ...(idColumn === null ? [] : [idColumn])];
  const cells = things.flatMap((thing) => columns.flatMap((name) => thing[name] ?? []));
  return [...new Set(['NOPE', '99', '5', '~', ...cells.flat().map(String)])];
}

/** An identifier that a path or a required filter may name. */
export function anyIdentifier({ things, idColumn }: Subject) {
  const tickers = things.map(({ Ticker }) => Ticker).filter((name) => typeof name === 'string');
  const ids = idColumn === null ? [] : things.map((thing) => thing[idColumn] as bigint | null);
  return fc.constantFrom(
    ...['NOPE', ...tickers].map((value) => ({ column: 'Ticker', value })),
    ...ids.flatMap((value) => (value === null ? [] : [{ column: idColumn as string, value }])),
  );
}
