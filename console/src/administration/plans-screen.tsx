import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Plan } from '@ticklake/client';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { countText, utcDateText } from '../format/texts';
import { Button } from '../ui/button';
import { hasDraft } from '../ui/drafts';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import type { TableColumn } from '../ui/table';
import { PlanLink } from './names';
import { planEndText } from './plan-fields';
import { CreatePlanDialog } from './plan-form';
import { plansQuery } from './queries';
import { SearchedTable } from './searched-table';

const COLUMNS: readonly TableColumn<Plan>[] = [
  {
    header: 'Name',
    isRowHeader: true,
    isWrapped: true,
    cell: ({ plan_id }) => <PlanLink planId={plan_id} />,
  },
  { header: 'ID', cell: (row) => row.plan_id, isNumeric: true },
  { header: 'Accounts', cell: (row) => countText(row.account_count), isNumeric: true },
  { header: 'Contracts end', cell: planEndText },
  { header: 'Created', cell: (row) => utcDateText(row.created_at) },
];

function Plans({ rows }: { rows: readonly Plan[] }) {
  const { q = '' } = useSearch({ from: '/signed-in/administration/plans' });
  const navigate = useNavigate({ from: '/plans' });
  return (
    <SearchedTable
      what={['plan', 'plans']}
      rows={rows}
      columns={COLUMNS}
      rowKey={({ plan_id }) => plan_id}
      searchedText={({ plan_id, name }) => `${plan_id} ${name}`}
      search={q}
      onSearchChange={(next) => void navigate({ search: next ? { q: next } : {}, replace: true })}
      placeholder="Name or ID"
      nextStep="Make one to give many accounts the same rules and limits."
    />
  );
}

export function PlansScreen() {
  const plans = useQuery(plansQuery);
  const [isCreating, setIsCreating] = useState(() => hasDraft('new-plan'));
  return (
    <Page
      title="Plans"
      description="Rules, limits and an end of contract that many accounts share. Changes apply to all of them at once."
      actions={
        <Button kind="primary" onClick={() => setIsCreating(true)}>
          <Plus size={16} aria-hidden />
          New plan
        </Button>
      }
    >
      <Loaded query={plans} what="plans">
        {(rows) => <Plans rows={rows} />}
      </Loaded>
      {isCreating && <CreatePlanDialog onClose={() => setIsCreating(false)} />}
    </Page>
  );
}
