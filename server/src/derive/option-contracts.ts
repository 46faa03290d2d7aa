/** The days of option contracts, out of the days of their roots. */
import type { OptionContractDay } from '@ticklake/market/option-rows.ts';
import { dateOfDays } from '../engine/columns.ts';
import type { EventColumns, InstrumentDay } from './instrument-days.ts';

/** Columns of events, with those of their contracts. */
export function contractEventColumns({ texts, numbers }: EventColumns): EventColumns {
  return {
    texts: ['CallPut', ...texts],
    numbers: ['Strike', 'ExpirationDate', ...numbers],
  };
}

export interface ContractDay extends OptionContractDay {
  /** Tells the contracts of a root apart. */
  readonly key: string;
  readonly expirationDays: number;
  /** The places of its events among those of the root. */
  readonly places: readonly number[];
}

interface Gathered extends ContractDay {
  readonly places: number[];
}

/** By expiration, strike and right, as rows of contracts are ordered. */
export function compareContracts(a: ContractDay, b: ContractDay): number {
  if (a.expirationDays !== b.expirationDays) return a.expirationDays - b.expirationDays;
  if (a.strike !== b.strike) return a.strike - b.strike;
  return a.callPut < b.callPut ? -1 : 1;
}

export interface RootDay {
  readonly contracts: readonly ContractDay[];
  /** How many events do not say which contract they are of. */
  readonly unknownCount: number;
}

/** The contracts of a root's day, whose events have the columns of `contractEventColumns`. */
export function contractsOf({ date, ticker, events }: InstrumentDay): RootDay {
  const rights = events.codes('CallPut');
  const [strikes, expirations] = [events.doubles('Strike'), events.doubles('ExpirationDate')];
  const contracts = new Map<string, Gathered>();
  let unknownCount = 0;
  for (let place = 0; place < events.length; place++) {
    const callPut = rights.textAt(place);
    const [strike, expirationDays] = [strikes.at(place), expirations.at(place)];
    if ((callPut !== 'C' && callPut !== 'P') || Number.isNaN(strike + expirationDays)) {
      unknownCount++;
      continue;
    }
    const key = `${expirationDays} ${strike} ${callPut}`;
    const known = contracts.get(key);
    if (known) known.places.push(place);
    else {
      const expiration = dateOfDays(expirationDays);
      const terms = { date, root: ticker, callPut, strike, expiration } as const;
      contracts.set(key, { ...terms, key, expirationDays, places: [place] });
    }
  }
  return { contracts: [...contracts.values()].sort(compareContracts), unknownCount };
}
