/** What tells option contracts apart, and which of them somebody asks for. Pure. */

export type CallPut = 'C' | 'P';

export interface ContractTerms {
  readonly root: string;
  /** `YYYY-MM-DD`. */
  readonly expiration: string;
  /** Dollars. */
  readonly strike: number;
  readonly callPut: CallPut;
}

export function isCallPut(text: unknown): text is CallPut {
  return text === 'C' || text === 'P';
}

/** Equal for the same contract alone. */
export function contractKey({ root, expiration, strike, callPut }: ContractTerms): string {
  return `${expiration} ${strike} ${callPut} ${root}`;
}

/** By expiration, strike, right and root. */
export function compareTerms(a: ContractTerms, b: ContractTerms): number {
  if (a.expiration !== b.expiration) return a.expiration < b.expiration ? -1 : 1;
  if (a.strike !== b.strike) return a.strike - b.strike;
  if (a.callPut !== b.callPut) return a.callPut < b.callPut ? -1 : 1;
  return a.root < b.root ? -1 : Number(a.root > b.root);
}

/** Both ends inclusive; null: open. */
export interface Range<T> {
  readonly from: T | null;
  readonly to: T | null;
}

/** The contracts that are wanted; null: of any root, right, expiration or strike. */
export interface ContractFilter {
  readonly root: string | null;
  readonly expiration: string | null;
  readonly strike: number | null;
  readonly expirations: Range<string>;
  readonly strikes: Range<number>;
  readonly callPut: CallPut | null;
}

const isAny = <T>(wanted: T | null, value: T) => wanted === null || wanted === value;

function isWithin<T extends string | number>({ from, to }: Range<T>, value: T): boolean {
  return (from === null || value >= from) && (to === null || value <= to);
}

export function isWanted(filter: ContractFilter, terms: ContractTerms): boolean {
  return (
    isAny(filter.root, terms.root) &&
    isAny(filter.callPut, terms.callPut) &&
    isAny(filter.expiration, terms.expiration) &&
    isAny(filter.strike, terms.strike) &&
    isWithin(filter.expirations, terms.expiration) &&
    isWithin(filter.strikes, terms.strike)
  );
}

/** The root of an underlying's options as a rule: its symbol without punctuation. */
export function usualRoot(underlying: string): string {
  return underlying.replaceAll(/[^\p{L}\p{N}]/gu, '') || underlying;
}
