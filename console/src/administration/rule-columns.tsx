import type { AdministeredRule } from '@ticklake/client';
import { Pencil, Trash2 } from 'lucide-react';
import { ruleEndText, ruleStartText } from '../format/coverage';
import { Button } from '../ui/button';
import type { TableColumn } from '../ui/table';
import { TwoLines } from '../ui/two-lines';
import { UniverseText } from '../ui/universe-text';
import { PlanLink } from './plan-link';
import type { RuleHolder } from './rule-holder';

interface RuleActs {
  readonly onEdit: (rule: AdministeredRule) => void;
  readonly onDelete: (rule: AdministeredRule) => void;
}

const ORIGIN: TableColumn<AdministeredRule> = {
  key: 'origin',
  header: 'From',
  cell: ({ plan_id: planId }) => (planId === null ? 'This account' : <PlanLink planId={planId} />),
};

const TERMS: readonly TableColumn<AdministeredRule>[] = [
  {
    key: 'dataset',
    header: 'Dataset',
    isRowHeader: true,
    isWrapped: true,
    cell: (rule) => (
      <TwoLines
        first={rule.dataset_name ?? 'No longer in the catalogue'}
        second={rule.dataset_id}
      />
    ),
  },
  { key: 'first', header: 'First date', cell: (rule) => ruleStartText(rule.start_date) },
  { key: 'last', header: 'Last date', cell: (rule) => ruleEndText(rule.end_date) },
  {
    key: 'universe',
    header: 'Identifiers',
    isWrapped: true,
    cell: (rule) => <UniverseText identifiers={rule.universe_identifiers} />,
  },
];

function RuleButtons({ rule, onEdit, onDelete }: RuleActs & { rule: AdministeredRule }) {
  const what = `the rule for ${rule.dataset_id} from ${rule.start_date}`;
  return (
    <>
      <Button kind="quiet" aria-label={`Edit ${what}`} onClick={() => onEdit(rule)}>
        <Pencil size={16} aria-hidden />
      </Button>
      <Button kind="quiet" aria-label={`Delete ${what}`} onClick={() => onDelete(rule)}>
        <Trash2 size={16} aria-hidden />
      </Button>
    </>
  );
}

/** Of an account, where each rule comes from as well; rules of its plan are changed there. */
export function ruleColumns(
  { noun, isOwn }: RuleHolder,
  acts: RuleActs,
): readonly TableColumn<AdministeredRule>[] {
  return [
    ...TERMS,
    ...(noun === 'account' ? [ORIGIN] : []),
    {
      key: 'acts',
      header: 'Actions',
      isPinned: true,
      cell: (rule) => isOwn(rule) && <RuleButtons rule={rule} {...acts} />,
    },
  ];
}
