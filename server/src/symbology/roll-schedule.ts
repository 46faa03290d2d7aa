/**
 * Which contract of a root has a rank on which trade dates. A date is ranked by what was known before it: by
 * deliveries, or by the figures of the last weekday before. Days do not depend on each other, so that a schedule is the
 * same whatever its first date.
 */
import type { ContractSpan } from '../engine/query-plan.ts';
import type { ContinuousContract } from './continuous-contract.ts';

/** What one contract did on a trade date. */
export interface ContractDay {
  readonly date: string;
  readonly ticker: string;
  /** Contracts traded. */
  readonly quantity: number;
  /** Contracts open, as published on that date; null: not published. */
  readonly openInterest: number | null;
}

const MONTH_LETTERS = 'FGHJKMNQUVXZ';

/**
 * The delivery as `YYYY-MM`: of contracts with that letter and digit, the next one on or after a trade date. Null for
 * what is no contract of the root, such as a spread.
 */
export function deliveryOf(root: string, ticker: string, date: string): string | null {
  const [, letter, digits] = /^([FGHJKMNQUVXZ])(\d{1,2})$/.exec(ticker.slice(root.length)) ?? [];
  if (!ticker.startsWith(root) || letter === undefined || digits === undefined) return null;
  const month = `${MONTH_LETTERS.indexOf(letter) + 1}`.padStart(2, '0');
  const cycle = 10 ** digits.length;
  const [firstYear, dateMonth] = [Number(date.slice(0, 4)), date.slice(5, 7)];
  const earliestYear = month < dateMonth ? firstYear + 1 : firstYear;
  const years = (((Number(digits) - earliestYear) % cycle) + cycle) % cycle;
  return `${earliestYear + years}-${month}`;
}

/** One contract through its life; the next one of the same name is another. */
interface Contract {
  readonly ticker: string;
  readonly delivery: string;
  readonly first: string;
  last: string;
}

interface Figures {
  readonly quantities: Map<Contract, number>;
  readonly openInterests: Map<Contract, number>;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isWeekday(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay();
  return day !== 0 && day !== 6;
}

/** Takes the days of a root in ascending order of their dates, and tells its contracts and their figures. */
class ContractHistory {
  readonly #root: string;
  readonly #contracts = new Map<string, Contract>();
  readonly figuresByDate = new Map<string, Figures>();

  constructor(root: string, days: Iterable<ContractDay>) {
    this.#root = root;
    for (const day of days) this.#add(day);
  }

  #add({ date, ticker, quantity, openInterest }: ContractDay): void {
    const delivery = deliveryOf(this.#root, ticker, date);
    if (delivery === null) return;
    const key = `${ticker} ${delivery}`;
    const contract = this.#contracts.get(key) ?? { ticker, delivery, first: date, last: date };
    contract.last = date;
    this.#contracts.set(key, contract);
    const figures = this.figuresByDate.get(date) ?? {
      quantities: new Map(),
      openInterests: new Map(),
    };
    this.figuresByDate.set(date, figures);
    figures.quantities.set(contract, quantity);
    if (openInterest !== null) figures.openInterests.set(contract, openInterest);
  }

  /** By delivery. A contract is listed from its first to its last date with a row. */
  listed(): Contract[] {
    return [...this.#contracts.values()].sort((a, b) => compareTexts(a.delivery, b.delivery));
  }
}

/** What is known of contracts at the end of the last weekday; open interest stands until it is published again. */
class KnownFigures {
  isKnown = false;
  quantities: ReadonlyMap<Contract, number> = new Map();
  readonly openInterests = new Map<Contract, number>();

  take({ quantities, openInterests }: Figures): void {
    this.isKnown = true;
    this.quantities = quantities;
    for (const [contract, count] of openInterests) this.openInterests.set(contract, count);
  }
}

/** Those of the date, first rank first; of equal figures the nearer delivery. Nothing is known: none. */
function ranked(
  rule: ContinuousContract['rule'],
  listed: readonly Contract[],
  known: KnownFigures,
): readonly Contract[] {
  if (rule === 'c') return listed;
  if (!known.isKnown) return [];
  const figures = rule === 'v' ? known.quantities : known.openInterests;
  const figureOf = (contract: Contract) => figures.get(contract) ?? 0;
  return listed.toSorted((a, b) => figureOf(b) - figureOf(a));
}

/** The spans in ascending order. `days` are all that is known of the root, in ascending order of their dates. */
export function rollSchedule(
  { root, rule, rank }: Pick<ContinuousContract, 'root' | 'rule' | 'rank'>,
  days: Iterable<ContractDay>,
): ContractSpan[] {
  const history = new ContractHistory(root, days);
  const contracts = history.listed();
  const known = new KnownFigures();
  const spans: { ticker: string; start: string; end: string }[] = [];
  let held: Contract | undefined;
  for (const [date, figures] of history.figuresByDate) {
    const listed = contracts.filter(({ first, last }) => first <= date && last >= date);
    const contract = ranked(rule, listed, known)[rank];
    const open = spans.at(-1);
    if (contract && contract === held && open) open.end = date;
    else if (contract) spans.push({ ticker: contract.ticker, start: date, end: date });
    held = contract;
    if (isWeekday(date)) known.take(figures);
  }
  return spans;
}
