import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { AdministeredIdentity, AssignedPlan, Plan } from '@ticklake/client';
import { postJson } from '../api/client';
import { plural, utcDateText } from '../format/texts';
import { Button } from '../ui/button';
import { MultiComboboxField } from '../ui/combobox-field';
import { type Confirmation, confirmChange } from '../ui/dialog';
import { Form } from '../ui/form';
import { AccountLink } from '../ui/links';
import { Card, FoundPage, Page, Query } from '../ui/page';
import { nameColumn, Table, type TableColumn } from '../ui/table';
import { useChangeForm } from '../ui/use-form';
import { AccountBadges } from './names';
import { PlanSettings } from './plan-form';
import { ACCOUNT_TOUCHES, accountsQuery, planQuery, plansQuery } from './queries';
import { planHolder, RulesCard } from './rules-card';

/** An account's own end takes the place of the plan's. */
function endText({ contract_ends_at: end, own_contract_ends_at: own }: AdministeredIdentity) {
  if (end === null) return 'No end';
  return own === null ? utcDateText(end) : `${utcDateText(end)} (its own)`;
}

const COLUMNS: readonly TableColumn<AdministeredIdentity>[] = [
  nameColumn('Account', ({ identity_id, name }) => (
    <AccountLink id={identity_id}>{name}</AccountLink>
  )),
  { header: 'Status', cell: (row) => <AccountBadges account={row} /> },
  { header: 'Contract ends', cell: endText },
];

const NOBODY = { identity_ids: [] as readonly string[] };

interface PlanAccountsProps {
  planId: number;
  accounts: readonly AdministeredIdentity[];
}

function AssignForm({ planId, accounts }: PlanAccountsProps) {
  const others = accounts.filter(({ plan_id, is_admin }) => plan_id !== planId && !is_admin);
  const form = useChangeForm({
    initial: NOBODY,
    problemsOf: ({ identity_ids: chosen }) => ({
      identity_ids: chosen.length === 0 ? 'Choose accounts' : '',
    }),
    send: ({ identity_ids: ids }) =>
      postJson<AssignedPlan>(`/plans/${planId}/assign`, { identity_ids: ids.map(Number) }),
    touches: ACCOUNT_TOUCHES,
    done: ({ identity_ids: assigned }) =>
      `${plural(assigned.length, 'account has', 'accounts have')} this plan now`,
    resetTo: () => NOBODY,
  });
  return (
    <Form form={form} submitLabel="Assign this plan">
      <MultiComboboxField
        label="Add accounts"
        options={others.map(({ identity_id: id, name }) => ({
          ...{ value: String(id), label: `${name} (${id})` },
        }))}
        placeholder="Name or ID"
        description="Replaces the plan they have now. Their own rules and limits stay."
        {...form.field('identity_ids')}
      />
    </Form>
  );
}

function PlanAccounts({ planId }: { planId: number }) {
  return (
    <Card title="Accounts">
      <Query of={accountsQuery} what="accounts">
        {(accounts) => (
          <>
            <Table
              caption="Accounts with this plan"
              columns={COLUMNS}
              rows={accounts.filter(({ plan_id }) => plan_id === planId)}
              rowKey={({ identity_id }) => identity_id}
              empty="No account has this plan yet."
            />
            <AssignForm planId={planId} accounts={accounts} />
          </>
        )}
      </Query>
    </Card>
  );
}

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
    touches: [plansQuery.queryKey],
    done: `${name} was deleted`,
    onDone,
  };
}

const BACK = <Link to="/plans">All plans</Link>;

function PlanPage({ plan }: { plan: Plan }) {
  const { plan_id: id } = plan;
  const navigate = useNavigate();
  const remove = () => confirmChange(deletion(plan, () => void navigate({ to: '/plans' })));
  return (
    <Page
      title={plan.name}
      back={BACK}
      description={`Plan ${id}, ${plural(plan.account_count, 'account')}`}
      actions={<Button onClick={remove}>Delete…</Button>}
    >
      <PlanSettings plan={plan} />
      <PlanAccounts planId={id} />
      <RulesCard holder={planHolder(id)} />
    </Page>
  );
}

export default function PlanScreen() {
  const { planId } = useParams({ from: '/signed-in/administration/plans/$planId' });
  return (
    <FoundPage of={planQuery(Number(planId))} noun="Plan" id={planId} back={BACK}>
      {(plan) => <PlanPage key={planId} plan={plan} />}
    </FoundPage>
  );
}
