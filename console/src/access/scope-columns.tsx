import { ruleDatesText, sentenceCase } from '../format/texts';
import type { TableColumn } from '../ui/table';
import { UniverseText } from '../ui/texts';

interface RuleScope {
  start_date: string;
  end_date: string | null;
  universe_identifiers: readonly string[];
  columns?: readonly string[] | null;
}

const scopeColumn = (
  header: string,
  of: (rule: RuleScope) => readonly string[],
): TableColumn<RuleScope> => ({
  ...{ header, by: (rule) => of(rule).join(' ') },
  cell: (rule) => <UniverseText identifiers={of(rule)} />,
});

/** The dates, identifiers and columns that a rule lets an account read. */
export const SCOPE_COLUMNS: readonly TableColumn<RuleScope>[] = [
  {
    header: 'Dates',
    by: 'start_date',
    cell: (rule) => sentenceCase(ruleDatesText(rule.start_date, rule.end_date)),
  },
  scopeColumn('Identifiers', (rule) => rule.universe_identifiers),
  scopeColumn('Columns', ({ columns }) => columns ?? []),
];
