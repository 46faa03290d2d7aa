/**
 * Numbers and codes of the demo securities. The nine-character identifiers lie in the issuer range
 * kept for private use, so that none of them is a real security's.
 */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const FIRST_EQUITY_ASID = 1010000000700001;
const FIRST_OPTION_ASID = 1110000000700001;
const FIRST_SEC_ID = 7100001;

export function equityAsid(ordinal: number): number {
  return FIRST_EQUITY_ASID + ordinal;
}

export function optionRootAsid(ordinal: number): number {
  return FIRST_OPTION_ASID + ordinal;
}

export function secIdOf(ordinal: number): number {
  return FIRST_SEC_ID + ordinal;
}

function digitSum(value: number): number {
  return Math.floor(value / 10) + (value % 10);
}

/** Nine characters with the check digit, of a six-character issuer and a two-character issue. */
function withCheckDigit(issuerAndIssue: string): string {
  let sum = 0;
  for (let i = 0; i < issuerAndIssue.length; i++) {
    const value = ALPHABET.indexOf(issuerAndIssue.charAt(i));
    sum += digitSum(i % 2 === 1 ? value * 2 : value);
  }
  return `${issuerAndIssue}${(10 - (sum % 10)) % 10}`;
}

/** The US identifier of a SecId's ordinal. */
export function usIdentifierOf(ordinal: number): string {
  const issuer = String(100 + ordinal).slice(-3);
  return withCheckDigit(`${issuer}99A10`);
}

/** The international number around a US identifier, with its check digit (Luhn). */
export function isinOf(usIdentifier: string): string {
  const body = `US${usIdentifier}`;
  const digits = [...body].map((letter) => ALPHABET.indexOf(letter)).join('');
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits.charAt(digits.length - 1 - i));
    sum += digitSum(i % 2 === 0 ? digit * 2 : digit);
  }
  return `${body}${(10 - (sum % 10)) % 10}`;
}

/** A twelve-character global identifier; `KK` is no issuing agency. */
export function figiOf(ordinal: number): string {
  return `KKG${String(ordinal).padStart(8, '0')}0`;
}
