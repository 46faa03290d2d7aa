/** An option chain, joined from several datasets by contract. Pure. */

import type { Column } from '../catalog/dataset.ts';
import { type CellValue, type ColumnBatch, dateOfDays, mapRows } from '../engine/columns.ts';
import type { ChainTicks, ContractState } from './chain-ticks.ts';
import {
  type ContractFilter,
  type ContractTerms,
  compareTerms,
  contractKey,
  dateOrNull,
  isCallPut,
  isWanted,
  numberOrNull,
  textOrNull,
} from './option-contract.ts';

/** Null: nothing is known of that. */
export interface ChainContract {
  readonly terms: ContractTerms;
  readonly state: ContractState | null;
  readonly listed: ListedContract | null;
  readonly analytics: ContractAnalytics | null;
}

export interface ChainParts {
  readonly ticks: ChainTicks;
  /** All of the underlying, whenever they are listed. */
  readonly listed: readonly ListedContract[];
  readonly analytics: ChainAnalytics | null;
}

/** Contracts with ticks or listed on the date, by expiration, strike, right and root. */
export function chainOf(
  { ticks, listed, analytics }: ChainParts,
  filter: ContractFilter,
  date: string,
): ChainContract[] {
  const states = new Map(ticks.contracts().map((state) => [contractKey(state.terms), state]));
  const masters = new Map(listed.map((each) => [contractKey(each.terms), each]));
  const terms = new Map([...states].map(([key, state]) => [key, state.terms]));
  for (const [key, each] of masters) {
    if (isListedOn(each, date) && isWanted(filter, each.terms)) terms.set(key, each.terms);
  }
  return [...terms]
    .map(([key, each]) => ({
      terms: each,
      state: states.get(key) ?? null,
      listed: masters.get(key) ?? null,
      analytics: analytics?.get(key) ?? null,
    }))
    .sort((a, b) => compareTerms(a.terms, b.terms));
}

/** The expirations of a chain with the number of contracts of each, the nearest first. */
export function expirationsOf(contracts: readonly ChainContract[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { terms } of contracts) {
    counts.set(terms.expiration, (counts.get(terms.expiration) ?? 0) + 1);
  }
  return [...counts];
}

/** The dataset, by its text id. */
export const OPTION_ANALYTICS = 'opt_greeks_daily';

const VALUE_COLUMNS = [
  ...(['MidImpliedVol', 'MidTheoPrice', 'MidDelta', 'MidGamma', 'MidTheta'] as const),
  ...(['MidVega', 'MidRho'] as const),
] as const;

export const ANALYTICS_COLUMNS = [
  ...(['TradeDate', 'Ticker', 'CallPut', 'Strike', 'Expiration', 'OptionStyle'] as const),
  ...VALUE_COLUMNS,
  'ImpliedVolConvergence',
] as const;
/** A row's value in one of the columns. */
type CellOf<Columns extends readonly string[]> = (name: Columns[number]) => CellValue;

export interface ContractAnalytics {
  readonly style: string | null;
  readonly convergence: string | null;
  readonly values: Readonly<Record<(typeof VALUE_COLUMNS)[number], number | null>>;
}

/** The analytics of a root's contracts on the last date that has any. */
export class ChainAnalytics {
  /** Date of the rows that are kept; null: none yet. */
  date: string | null = null;
  readonly #columns: readonly Column[];
  readonly #contracts = new Map<string, ContractAnalytics>();

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  /** Rows in the order of their dates: a later date does away with the one before. */
  take(batch: ColumnBatch): void {
    mapRows(this.#columns, batch, (cell: CellOf<typeof ANALYTICS_COLUMNS>) => {
      const date = dateOfDays(cell('TradeDate') as number);
      if (date !== this.date) this.#contracts.clear();
      this.date = date;
      this.#add(cell);
    });
  }

  get(key: string): ContractAnalytics | null {
    return this.#contracts.get(key) ?? null;
  }

  #add(cell: CellOf<typeof ANALYTICS_COLUMNS>): void {
    const terms = termsOf(cell('Ticker'), cell);
    if (terms === null) return;
    const values = VALUE_COLUMNS.map((name) => [name, cell(name) as number | null]);
    this.#contracts.set(contractKey(terms), {
      style: cell('OptionStyle') as string | null,
      convergence: cell('ImpliedVolConvergence') as string | null,
      values: Object.fromEntries(values),
    });
  }
}

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

/** Null where a row does not say them. */
function termsOf(
  root: CellValue,
  cell: (name: 'Expiration' | 'Strike' | 'CallPut') => CellValue,
): ContractTerms | null {
  const [days, strike, callPut] = [cell('Expiration'), cell('Strike'), cell('CallPut')];
  if (root === null || days === null || strike === null || !isCallPut(callPut)) return null;
  const expiration = dateOfDays(days as number);
  return { root: root as string, expiration, strike: strike as number, callPut };
}

/** Null where a row does not say of which contract it is. */
function listedContract(cell: CellOf<typeof MASTER_COLUMNS>): ListedContract | null {
  const terms = termsOf(cell('OptionTicker'), cell);
  if (terms === null) return null;
  const weekly = textOrNull(cell('IsWeekly'));
  return {
    terms,
    asid: numberOrNull(cell('ASID')),
    osiSymbol: textOrNull(cell('OsiSymbol')),
    style: textOrNull(cell('OptionStyle')),
    settlement: textOrNull(cell('SettlType')),
    multiplier: numberOrNull(cell('Multiplier')),
    isWeekly: weekly === null ? null : weekly === 'Y',
    firstTradeDate: dateOrNull(cell('FirstTradeDate')),
    lastTradeDate: dateOrNull(cell('LastTradeDate')),
  };
}

/** The rows of a batch that identify their contract. */
export function listedContracts(columns: readonly Column[], batch: ColumnBatch): ListedContract[] {
  return mapRows(columns, batch, listedContract).filter((each) => each !== null);
}

/** True if the contract can be traded on a date, as far as is known. */
function isListedOn({ terms, firstTradeDate, lastTradeDate }: ListedContract, date: string) {
  return (firstTradeDate ?? date) <= date && (lastTradeDate ?? terms.expiration) >= date;
}
