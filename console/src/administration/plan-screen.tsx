import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Plan } from '@ticklake/client';
import { useState } from 'react';
import { ApiFailure } from '../api/api-failure';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { plural } from '../format/amounts';
import { Button } from '../ui/button';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { Form } from '../ui/form';
import { Loaded } from '../ui/loading';
import { Notice } from '../ui/notice';
import { Card, Page } from '../ui/page';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import { PlanAccounts } from './plan-accounts';
import { type PlanFields, planBody, planFields, planProblems } from './plan-fields';
import { PlanFormFields } from './plan-form-fields';
import { PLAN_TOUCHES, planQuery, planRulesQuery } from './queries';
import { planHolder } from './rule-holder';
import { RulesCard } from './rules-card';

function PlanSettings({ plan }: { plan: Plan }) {
  const toasts = useToasts();
  const update = useChange({
    send: (fields: PlanFields) =>
      postJson<Plan>(`/plans/${plan.plan_id}/update`, planBody(fields, plan)),
    touches: PLAN_TOUCHES,
    onDone: (after) => {
      toasts.add({ title: 'The plan was saved' });
      form.reset(planFields(after));
    },
  });
  const form = useForm({ initial: planFields(plan), problemsOf: planProblems, change: update });
  return (
    <Card title="Settings">
      <p>
        Limits apply to each account separately. An account's own limits and end of contract
        override the plan's.
      </p>
      <Form
        form={form}
        submitLabel="Save"
        isBusy={update.isPending}
        isUnchanged={Object.keys(planBody(form.values, plan)).length === 0}
      >
        <PlanFormFields form={form} />
      </Form>
    </Card>
  );
}

function DeletePlan({ plan }: { plan: Plan }) {
  const navigate = useNavigate();
  const toasts = useToasts();
  const [isAsked, setIsAsked] = useState(false);
  const remove = useChange({
    send: () => postJson(`/plans/${plan.plan_id}/delete`),
    touches: [['plans']],
    onDone: () => {
      toasts.add({ title: `${plan.name} was deleted` });
      void navigate({ to: '/plans' });
    },
  });
  return (
    <>
      <Button onClick={() => setIsAsked(true)}>Delete…</Button>
      <ConfirmDialog
        isOpen={isAsked}
        title={`Delete ${plan.name}?`}
        description={
          plan.account_count > 0
            ? `${plural(plan.account_count, 'account has', 'accounts have')} this plan. Give them another one, or none, first.`
            : 'The plan and its rules are deleted for good.'
        }
        confirmLabel="Delete"
        isDangerous
        isBusy={remove.isPending}
        error={remove.error?.message}
        onConfirm={() => remove.mutate(undefined)}
        onClose={() => setIsAsked(false)}
      />
    </>
  );
}

const BACK = <Link to="/plans">All plans</Link>;

function PlanPage({ plan }: { plan: Plan }) {
  const { plan_id: id } = plan;
  const rules = useQuery(planRulesQuery(id));
  return (
    <Page
      title={plan.name}
      back={BACK}
      description={
        <>
          Plan {id}, {plural(plan.account_count, 'account')}
        </>
      }
      actions={<DeletePlan plan={plan} />}
    >
      <RulesCard holder={planHolder(id)} rules={rules} />
      <PlanAccounts planId={id} />
      <PlanSettings plan={plan} />
    </Page>
  );
}

export function PlanScreen() {
  const { planId } = useParams({ from: '/signed-in/administration/plans/$planId' });
  const plan = useQuery(planQuery(Number(planId)));
  if (plan.data) return <PlanPage key={planId} plan={plan.data} />;
  if (plan.error instanceof ApiFailure && [404, 422].includes(plan.error.status)) {
    return (
      <Page title="Plan not found" back={BACK}>
        <Notice kind="info">No plan has the ID {planId}.</Notice>
      </Page>
    );
  }
  return (
    <Page title="Plan" back={BACK}>
      <Loaded query={plan} what="the plan">
        {() => null}
      </Loaded>
    </Page>
  );
}
