/** What of a query stands behind "More", told in a few words, so that nothing of it is overlooked. */
import { plural } from '../format/amounts';
import type { ExplorerQuery } from './explorer-query';
import type { FieldProblems } from './query-problems';

const LINE_FIELDS: readonly string[] = ['', 'dataset', 'date', 'identifier', 'from', 'to'];

/** `1 filter, sorted`; '' where nothing is set. */
export function moreText({ period, version, columns, filters, sort }: ExplorerQuery): string {
  return [
    filters.length > 0 ? plural(filters.length, 'filter') : '',
    sort.length > 0 ? 'sorted' : '',
    columns.length > 0 ? plural(columns.length, 'column') : '',
    period === '' ? '' : `period ${period}`,
    version === '' ? '' : `version ${version}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Whether a field behind "More" has a problem, which has to be seen. */
export function hasHiddenProblem(problems: FieldProblems): boolean {
  return Object.keys(problems).some((field) => !LINE_FIELDS.includes(field));
}
