/** Ticker histories: which tickers a company had from when to when, by the map files. */
import { type TickerPeriod, UNKNOWN_START } from '../../store/securities.ts';
import { BadField, type MapRow, readMapRow } from './records.ts';
import { filesOf, type LeanFile, type LeanFolder } from './scan-folder.ts';
import { BadRows, readAllRecords, textFile } from './text-source.ts';
import { type Claim, claimsOf, dayAfter, firstSharedDay, withoutClaims } from './ticker-days.ts';

/** LEAN's last date of a ticker that is in use. */
export const LEAN_OPEN_END = '2050-12-31';
/** The datasets' last date of a ticker that is in use. */
export const OPEN_END = '2099-12-31';

/** A map file's history. As in LEAN, the first line alone identifies the company. */
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

/** Two map files claim one ticker on one day. */
interface Contradiction {
  readonly fileName: string;
  readonly error: BadField;
}

function contradictionOf(earlier: Claim<Chain>, later: Claim<Chain>): Contradiction | null {
  const day = firstSharedDay(earlier.at, later.at);
  if (day === null || earlier.of === later.of) return null;
  const reason = `one company's on ${day}: ${earlier.of.file.name} claims it, too`;
  return {
    fileName: later.of.file.name,
    error: new BadField('ticker', later.at.ticker, reason),
  };
}

/** The first shared day of each period that begins within another company's. */
export function contradictionsOf(chains: readonly Chain[]): Contradiction[] {
  return [...claimsOf(chains).values()].flatMap((claims) => {
    const sorted = claims.toSorted((a, b) => (a.at.startDate < b.at.startDate ? -1 : 1));
    let last = sorted[0] as Claim<Chain>;
    return sorted.slice(1).flatMap((claim) => {
      const found = contradictionOf(last, claim);
      if (claim.at.endDate > last.at.endDate) last = claim;
      return found ?? [];
    });
  });
}

/** The chains without days of earlier ones, so that a ticker is one company's on each day. */
export function separate(chains: readonly Chain[]): Chain[] {
  const taken = new Map<string, Claim<Chain>[]>();
  const separated = new Map<string, Chain>();
  for (const chain of chains) {
    const key = `${chain.firstTicker} ${chain.firstDate}`;
    if (separated.has(key)) continue;
    const periods = withoutClaims(chain.periods, taken);
    separated.set(key, { ...chain, periods });
    for (const at of periods) {
      taken.getOrInsertComputed(at.ticker, () => []).push({ of: chain, at });
    }
  }
  return [...separated.values()];
}
