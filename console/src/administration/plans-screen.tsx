import type { Plan } from '@ticklake/client';
import { holdsAll, utcDateText } from '../format/texts';
import { AddButton } from '../ui/button';
import { useReopened } from '../ui/drafts';
import { showDialog } from '../ui/open-dialog';
import { Page } from '../ui/page';
import { SearchedTable } from '../ui/searched-table';
import { figureColumn, nameColumn, type TableColumn } from '../ui/table';
import { PlanLink } from './names';
import { CreatePlanDialog, planEndText } from './plan-form';
import { plansQuery } from './queries';

const COLUMNS: readonly TableColumn<Plan>[] = [
  nameColumn('Name', ({ plan_id }) => <PlanLink planId={plan_id} />, 'name'),
  { header: 'ID', by: 'plan_id', cell: (row) => row.plan_id, isNumeric: true },
  figureColumn('Accounts', 'account_count'),
  { header: 'Contracts end', by: planEndText, cell: planEndText },
  { header: 'Created', by: 'created_at', cell: (row) => utcDateText(row.created_at) },
];

export default function PlansScreen() {
  const create = () => showDialog(<CreatePlanDialog />);
  useReopened('new-plan', create);
  return (
    <Page
      title="Plans"
      description="Rules, limits and an end of contract that many accounts share. Changes apply to all of them at once."
      actions={<AddButton label="New plan" onClick={create} />}
    >
      <SearchedTable
        caption="List of plans"
        what={['plan', 'plans']}
        of={plansQuery}
        columns={COLUMNS}
        rowKey={({ plan_id }) => plan_id}
        isFound={({ plan_id, name }, text) => holdsAll(`${plan_id} ${name}`, text)}
        placeholder="Name or ID"
        empty="No plans yet. Make one to give many accounts the same rules and limits."
      />
    </Page>
  );
}
