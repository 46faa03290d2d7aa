/** An option chain, put together of what is known of each contract from different datasets. Pure. */
import type { ChainAnalytics, ContractAnalytics } from './chain-analytics.ts';
import type { ChainTicks, ContractState } from './chain-ticks.ts';
import { isListedOn, type ListedContract } from './contract-master.ts';
import {
  type ContractFilter,
  type ContractTerms,
  compareTerms,
  contractKey,
  isWanted,
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

/** Those that have ticks, and those that are listed on the date; by expiration, strike, right and root. */
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
