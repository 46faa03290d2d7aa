import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Plan } from '@ticklake/client';
import { useState } from 'react';
import { postJson } from '../api/client';
import { plural } from '../format/amounts';
import { Button } from '../ui/button';
import { type Confirmation, ConfirmChange } from '../ui/confirm-dialog';
import { FoundPage } from '../ui/loading';
import { Page } from '../ui/page';
import { PlanAccounts } from './plan-accounts';
import { PlanSettings } from './plan-form';
import { planQuery, planRulesQuery } from './queries';
import { planHolder, RulesCard } from './rules-card';

function deletion({ plan_id, name, account_count: count }: Plan, onDone: () => void): Confirmation {
  return {
    title: `Delete ${name}?`,
    description:
      count > 0
        ? `${plural(count, 'account has', 'accounts have')} this plan. Give them another one, or none, first.`
        : 'The plan and its rules are deleted for good.',
    confirmLabel: 'Delete',
    isDangerous: true,
    send: () => postJson(`/plans/${plan_id}/delete`),
    touches: [['plans']],
    done: `${name} was deleted`,
    onDone,
  };
}

const BACK = <Link to="/plans">All plans</Link>;

function PlanPage({ plan }: { plan: Plan }) {
  const { plan_id: id } = plan;
  const navigate = useNavigate();
  const rules = useQuery(planRulesQuery(id));
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const remove = () => setConfirmation(deletion(plan, () => void navigate({ to: '/plans' })));
  return (
    <Page
      title={plan.name}
      back={BACK}
      description={`Plan ${id}, ${plural(plan.account_count, 'account')}`}
      actions={<Button onClick={remove}>Delete…</Button>}
    >
      <RulesCard holder={planHolder(id)} rules={rules} />
      <PlanAccounts planId={id} />
      <PlanSettings plan={plan} />
      <ConfirmChange confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </Page>
  );
}

export function PlanScreen() {
  const { planId } = useParams({ from: '/signed-in/administration/plans/$planId' });
  const query = useQuery(planQuery(Number(planId)));
  return (
    <FoundPage query={query} noun="Plan" id={planId} back={BACK}>
      {(plan) => <PlanPage key={planId} plan={plan} />}
    </FoundPage>
  );
}
