import { plural } from '../format/texts';
import { type DatasetShape, rangeColumn } from './dataset-shape';

/** Longer than any history. */
const ALL = '200Y';
const UNITS: Readonly<Record<string, string>> = { Y: 'year', W: 'week', D: 'day' };

/** How far back the service looks by itself; undefined: it has no such window. */
function defaultPeriod(shape: DatasetShape): string | undefined {
  return shape.parameters.find(({ name }) => name === 'period')?.default ?? undefined;
}

/**
 * The period within which all of the days lie, so that the service neither cuts any off nor refuses
 * the range; null where its own does. `last` is '' where there is no last day, `first` where there
 * is no first one.
 */
export function periodOver(
  shape: DatasetShape,
  first: string,
  last: string,
  today: string,
): string | null {
  const own = defaultPeriod(shape);
  if (own === undefined || (first === '' && last === '')) return null;
  if (first === '') return ALL;
  const yearOf = (date: string) => Number(date.slice(0, 4));
  const years = Math.max(1, yearOf(last || today) - yearOf(first) + 1);
  const [, ownYears] = /^(\d+)Y$/.exec(own) ?? [];
  return years <= Number(ownYears ?? 0) ? null : `${years}Y`;
}

/** "the last 5 years", where that is all that the request asks for; '' where it says which days. */
export function lookBackText(
  parameters: readonly { readonly name: string; readonly value: string }[],
  shape: DatasetShape,
): string {
  const date = rangeColumn(shape);
  if (parameters.some(({ name }) => name.split('.')[0] === date)) return '';
  const asked = parameters.find(({ name }) => name === 'period')?.value;
  const [, count, unit = ''] = /^(\d+)(\w)$/.exec(asked ?? defaultPeriod(shape) ?? '') ?? [];
  if (count === undefined) return '';
  const name = UNITS[unit] ?? '';
  return count === '1' ? `the last ${name}` : `the last ${plural(Number(count), name)}`;
}
