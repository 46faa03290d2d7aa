/** Values that a filter may be given, of columns that are known to have few. */
import type { Suggestion } from '../ui/suggest-field';
import type { ShapeColumn } from './dataset-shape';
import { type FilterRow, OPERATORS } from './explorer-query';

const BOOLEANS = ['true', 'false'];
const NEEDS_QUOTES = /[",]/;

/** Null: the values of the column are not known. */
export function knownValues(column: ShapeColumn | undefined): readonly string[] | null {
  if (column?.data_type === 'boolean') return BOOLEANS;
  return column?.values ?? null;
}

function quoted(value: string): string {
  return NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** A list takes those that it does not have yet, after its last comma. */
export function valueSuggestions(
  { operator, value }: FilterRow,
  known: readonly string[],
): readonly Suggestion[] {
  const isList = OPERATORS[operator].operand === 'list';
  const before = isList ? value.slice(0, value.lastIndexOf(',') + 1) : '';
  const term = value.slice(before.length).trim().toLowerCase();
  const taken = before.split(',');
  // A whole value may be exchanged for any other.
  const isWhole = known.some((each) => each.toLowerCase() === term);
  return known
    .filter((each) => !taken.includes(quoted(each)))
    .filter((each) => isWhole || each.toLowerCase().includes(term))
    .map((each) => ({ value: `${before}${isList ? quoted(each) : each}`, label: each, hint: '' }));
}
