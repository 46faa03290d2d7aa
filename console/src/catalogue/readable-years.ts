/** The years of a dataset of which an account may know something. */
import type { QueryForm } from '@ticklake/client';

type Rule = Pick<QueryForm['rules'][number], 'start_date' | 'end_date'>;

const yearOf = (date: string): number => Number(date.slice(0, 4));

/**
 * From the later of the dataset's first date and the first rule's, to the earlier of the last rule's and
 * the newest day. Dates are `YYYY-MM-DD`.
 */
export function readableYears(
  rules: readonly Rule[],
  firstDate: string,
  lastDate: string,
  today: string,
): { readonly firstYear: number; readonly lastYear: number } {
  const newest = lastDate > today ? lastDate : today;
  const starts = rules.map(({ start_date: start }) => start).sort();
  const ends = rules.map(({ end_date: end }) => end ?? newest).sort();
  const from = [starts[0] ?? firstDate, firstDate].sort().at(-1) ?? firstDate;
  const to = [ends.at(-1) ?? newest, newest].sort()[0] ?? newest;
  return { firstYear: Math.min(yearOf(from), yearOf(to)), lastYear: yearOf(to) };
}
