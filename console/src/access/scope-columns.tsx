import type { TableColumn } from '../ui/table';
import { UniverseText } from '../ui/texts';

interface RuleScope {
  universe_identifiers: readonly string[];
  columns?: readonly string[] | null;
}

const scopeColumn = (
  header: string,
  of: (rule: RuleScope) => readonly string[],
): TableColumn<RuleScope> => ({
  ...{ header, isWrapped: true, by: (rule) => of(rule).join(' ') },
  cell: (rule) => <UniverseText identifiers={of(rule)} />,
});

/** The identifiers and columns that a rule lets an account read. */
export const SCOPE_COLUMNS: readonly TableColumn<RuleScope>[] = [
  scopeColumn('Identifiers', (rule) => rule.universe_identifiers),
  scopeColumn('Columns', ({ columns }) => columns ?? []),
];
