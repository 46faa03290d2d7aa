/** Ticker histories: which tickers a company had from when to when. */
import { type TickerPeriod, UNKNOWN_START } from '../../store/securities.ts';
import { type MapRow, readMapRow } from './map-rows.ts';
import { BadRows, readAllRecords } from './read-records.ts';
import { filesOf, type LeanFile, type LeanFolder } from './scan-folder.ts';
import { textFile } from './text-source.ts';
import { dayAfter } from './ticker-days.ts';

/** LEAN's last date of a ticker that is in use. */
export const LEAN_OPEN_END = '2050-12-31';
/** The same in the datasets. */
export const OPEN_END = '2099-12-31';

/** What a map file says. LEAN tells companies apart by the first line alone, and so do we. */
export interface Chain {
  readonly file: LeanFile;
  readonly firstTicker: string;
  readonly firstDate: string;
  readonly periods: readonly TickerPeriod[];
}

/** The first row holds the first day, each later one the last day of a ticker on a venue. */
function periodsOf([first, ...later]: readonly MapRow[]): TickerPeriod[] {
  const rows = later.length > 0 || !first ? later : [first];
  let startDate = later.length > 0 && first ? first.lastDate : UNKNOWN_START;
  return rows.map(({ lastDate, ticker, venue }) => {
    const period = { ticker, startDate, endDate: lastDate, venue };
    startDate = dayAfter(lastDate);
    return lastDate === LEAN_OPEN_END ? { ...period, endDate: OPEN_END } : period;
  });
}

/** Null: it has no rows. */
async function readChain(file: LeanFile): Promise<Chain | null> {
  // The check of all files counts bad lines.
  const rows = await readAllRecords(textFile(file), readMapRow, new BadRows());
  const sorted = rows.toSorted((a, b) => (a.lastDate < b.lastDate ? -1 : 1));
  const [first] = sorted;
  if (!first) return null;
  const firstDate = sorted.length > 1 ? first.lastDate : UNKNOWN_START;
  return { file, firstTicker: first.ticker, firstDate, periods: periodsOf(sorted) };
}

/** The histories of a folder, in the order of the files' names. */
export async function readChains(folder: LeanFolder): Promise<Chain[]> {
  const chains: Chain[] = [];
  for (const file of filesOf(folder, 'map files')) {
    const chain = await readChain(file);
    if (chain) chains.push(chain);
  }
  return chains;
}
