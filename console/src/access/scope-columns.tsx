import type { TableColumn } from '../ui/table';
import { UniverseText } from '../ui/texts';

interface RuleScope {
  universe_identifiers: readonly string[];
  columns?: readonly string[] | null;
}

/** The identifiers and columns that a rule lets an account read. */
export const SCOPE_COLUMNS: readonly TableColumn<RuleScope>[] = [
  {
    header: 'Identifiers',
    by: ({ universe_identifiers: identifiers }) => identifiers.join(' '),
    isWrapped: true,
    cell: (rule) => <UniverseText identifiers={rule.universe_identifiers} />,
  },
  {
    header: 'Columns',
    by: ({ columns }) => (columns ?? []).join(' '),
    isWrapped: true,
    cell: (rule) => <UniverseText identifiers={rule.columns ?? []} />,
  },
];
