/**
 * Securities as lookups of their symbols tell them: which security number, and which permanent
 * number, a symbol stood for on which days. Dates are `YYYY-MM-DD`, both ends of a period included.
 */
import { OPEN_END_DATE, type SecurityHistory } from './security-master.ts';

/** Before every date. */
const UNKNOWN_START = '0001-01-01';
const DAY_MS = 86_400_000;

/** Days on which a symbol stood for a security. */
export interface SymbolUse {
  /** SecId or ASID. */
  readonly id: number;
  readonly ticker: string;
  /** Null: nobody knows it. */
  readonly startDate: string | null;
  /** Null: it has none yet. */
  readonly endDate: string | null;
}

/** A day on which a symbol stood for two securities. */
export interface SymbolClash {
  readonly ticker: string;
  readonly date: string;
  readonly ids: readonly [number, number];
}

interface Period {
  readonly start: string;
  /** `OPEN_END_DATE` while it runs. */
  readonly end: string;
}

function periodOf({ startDate, endDate }: SymbolUse): Period {
  const isOpen = endDate === null || endDate > OPEN_END_DATE;
  return { start: startDate ?? UNKNOWN_START, end: isOpen ? OPEN_END_DATE : endDate };
}

function overlap(a: Period, b: Period): boolean {
  return a.start <= b.end && b.start <= a.end;
}

const byStart = (a: SymbolUse, b: SymbolUse) => (periodOf(a).start < periodOf(b).start ? -1 : 1);

/** The first clash of each period that begins within one of another security, by symbol and day. */
export function clashesOf(uses: readonly SymbolUse[]): SymbolClash[] {
  return [...Map.groupBy(uses, ({ ticker }) => ticker)].flatMap(([ticker, own]) => {
    const [first, ...later] = own.toSorted(byStart);
    let last = first as SymbolUse;
    return later.flatMap((use) => {
      const clash = overlap(periodOf(last), periodOf(use)) && last.id !== use.id;
      const ids = [last.id, use.id] as const;
      if (periodOf(use).end > periodOf(last).end) last = use;
      return clash ? [{ ticker, date: periodOf(use).start, ids }] : [];
    });
  });
}

type Chains = ReadonlyMap<string, readonly SymbolUse[]>;

/** On how many days both are; 0 where they have none in common. */
function sharedDays(a: Period, b: Period): number {
  const start = Math.max(Date.parse(a.start), Date.parse(b.start));
  const end = Math.min(Date.parse(a.end), Date.parse(b.end));
  return Math.max(0, (end - start) / DAY_MS + 1);
}

/** The ASIDs of a security's symbols on its days, and on how many days. */
function asidsOf(uses: readonly SymbolUse[], chains: Chains): Map<number, number> {
  const daysByAsid = new Map<number, number>();
  for (const use of uses) {
    for (const chain of chains.get(use.ticker) ?? []) {
      const days = sharedDays(periodOf(use), periodOf(chain));
      if (days > 0) daysByAsid.set(chain.id, (daysByAsid.get(chain.id) ?? 0) + days);
    }
  }
  return daysByAsid;
}

/** The ASID equal to the SecId, or else that of the most days, the last one in a tie. */
function asidOf(secId: number, daysByAsid: ReadonlyMap<number, number>): number | null {
  if (daysByAsid.has(secId)) return secId;
  let [asid, most]: [number | null, number] = [null, 0];
  for (const [id, days] of daysByAsid) if (days >= most) [asid, most] = [id, days];
  return asid;
}

function historyOf(secId: number, uses: readonly SymbolUse[], chains: Chains): SecurityHistory {
  const sorted = uses.toSorted(byStart);
  const tickers = sorted.map((use) => {
    const { start, end } = periodOf(use);
    return { value: use.ticker, startDate: start, endDate: end };
  });
  const isListed = tickers.some(({ endDate }) => endDate === OPEN_END_DATE);
  return {
    ...{ secId, asid: asidOf(secId, asidsOf(sorted, chains)) },
    ...{ listStatus: isListed ? 'L' : 'D', tickers },
    // Symbols say no more of a security.
    ...{ securityDescription: null, sic: null, sector: null, industry: null, sedol: null },
    ...{ names: [], isins: [], usIdentifiers: [], primaryExchanges: [], figis: [] },
  };
}

function chainsOf(asids: readonly SymbolUse[]): Chains {
  return Map.groupBy(asids.toSorted(byStart), ({ ticker }) => ticker);
}

/**
 * One history for each SecId, in their order. `secIds` say which SecId a symbol stood for, `asids`
 * which ASID; of several ASIDs on the days of a SecId it has the one of its own number, otherwise
 * that of the most days.
 */
export function historiesOfSymbols(
  secIds: readonly SymbolUse[],
  asids: readonly SymbolUse[],
): SecurityHistory[] {
  const chains = chainsOf(asids);
  return [...Map.groupBy(secIds, ({ id }) => id)]
    .sort(([a], [b]) => a - b)
    .map(([secId, uses]) => historyOf(secId, uses, chains));
}

/** A SecId that had several ASIDs, which is one security's whole life, in the order of its days. */
export interface SplitSecurity {
  /** The security's last use of a symbol. */
  readonly use: SymbolUse;
  readonly asids: readonly number[];
  /** The one that it has in its history. */
  readonly asid: number | null;
}

export function splitSecurities(
  secIds: readonly SymbolUse[],
  asids: readonly SymbolUse[],
): SplitSecurity[] {
  const chains = chainsOf(asids);
  return [...Map.groupBy(secIds, ({ id }) => id)].flatMap(([secId, uses]) => {
    const sorted = uses.toSorted(byStart);
    const found = asidsOf(sorted, chains);
    if (found.size < 2) return [];
    const use = sorted.at(-1) as SymbolUse;
    return [{ use, asids: [...found.keys()], asid: asidOf(secId, found) }];
  });
}
