import type { FoundSecurity } from '@ticklake/client';
import type { Suggestion } from '../ui/suggest-field';
import { type DatasetShape, identifierColumns } from './dataset-shape';

export interface IdentifierKinds {
  readonly hasTickers: boolean;
  readonly hasNumbers: boolean;
  /** Commas separate several; the last one is being typed. */
  readonly isList: boolean;
}

const TICKER = 'Ticker';
const NUMBER = 'ASID';
const NUMBERS: readonly FoundSecurity['matched']['field'][] = [NUMBER, 'SecId'];

/** Null where rows are not named by what securities are found by. */
export function identifierKinds(shape: DatasetShape): IdentifierKinds | null {
  const columns = identifierColumns(shape);
  const names = columns
    ? [columns.text, columns.integer]
    : shape.path_forms.map(({ identifier_column }) => identifier_column);
  const hasTickers = names.includes(TICKER);
  const hasNumbers = names.includes(NUMBER);
  return hasTickers || hasNumbers ? { hasTickers, hasNumbers, isList: columns !== null } : null;
}

const begun = (text: string, { isList }: IdentifierKinds) =>
  isList ? text.slice(text.lastIndexOf(',') + 1) : text;

export function termOf(text: string, kinds: IdentifierKinds): string {
  return begun(text, kinds).trim();
}

function identifierOf(found: FoundSecurity, kinds: IdentifierKinds): string | null {
  const number = kinds.hasNumbers ? found.asid : null;
  const ticker = kinds.hasTickers ? found.ticker : null;
  const byNumber = NUMBERS.includes(found.matched.field);
  const first = byNumber ? (number ?? ticker) : (ticker ?? number);
  return first === null ? null : String(first);
}

function hintOf({ name, asid, matched, ticker, end_date }: FoundSecurity): string {
  const isPast = matched.field === TICKER && matched.value !== ticker;
  return [
    name,
    asid === null ? null : `${NUMBER} ${asid}`,
    isPast ? `was ${matched.value}` : null,
    end_date === null ? null : `until ${end_date}`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

export function suggestionsOf(
  text: string,
  kinds: IdentifierKinds,
  found: readonly FoundSecurity[],
): Suggestion[] {
  const before = text.slice(0, text.length - begun(text, kinds).length);
  return found.flatMap((security) => {
    const identifier = identifierOf(security, kinds);
    if (identifier === null) return [];
    const value = `${before}${before.endsWith(',') ? ' ' : ''}${identifier}`;
    // Nothing to suggest to whoever has typed it.
    return value === text ? [] : [{ value, label: identifier, hint: hintOf(security) }];
  });
}
