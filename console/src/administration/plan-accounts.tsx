import { useQuery } from '@tanstack/react-query';
import type { AdministeredIdentity, AssignedPlan } from '@ticklake/client';
import { postJson } from '../api/client';
import { plural } from '../format/amounts';
import { utcDateText } from '../format/times';
import { MultiComboboxField } from '../ui/combobox-field';
import { Form } from '../ui/form';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { useChangeForm } from '../ui/use-form';
import { IdentityBadges } from './identity-badges';
import { IdentityLink } from './names';
import { identitiesQuery, PLAN_TOUCHES } from './queries';

/** Where an account has its own end in place of the plan's. */
function endText({ contract_ends_at: end, own_contract_ends_at: own }: AdministeredIdentity) {
  if (end === null) return 'No end';
  return own === null ? utcDateText(end) : `${utcDateText(end)} (its own)`;
}

const COLUMNS: readonly TableColumn<AdministeredIdentity>[] = [
  {
    header: 'Account',
    isRowHeader: true,
    isWrapped: true,
    cell: ({ identity_id, name }) => <IdentityLink id={identity_id}>{name}</IdentityLink>,
  },
  { header: 'State', cell: (row) => <IdentityBadges identity={row} /> },
  { header: 'Contract ends', cell: endText },
];

interface AssignFields extends Readonly<Record<string, unknown>> {
  /** Labels of accounts. */
  readonly identity_ids: readonly string[];
}

const NOBODY: AssignFields = { identity_ids: [] };

function labelOf({ name, identity_id }: AdministeredIdentity): string {
  return `${name} (${identity_id})`;
}

interface PlanAccountsProps {
  planId: number;
  accounts: readonly AdministeredIdentity[];
}

function AssignForm({ planId, accounts }: PlanAccountsProps) {
  const others = accounts.filter(({ plan_id, is_admin }) => plan_id !== planId && !is_admin);
  const ids = new Map(others.map((each) => [labelOf(each), each.identity_id]));
  const form = useChangeForm({
    initial: NOBODY,
    problemsOf: ({ identity_ids: chosen }) => ({
      identity_ids: chosen.length === 0 ? 'Choose accounts' : '',
    }),
    send: ({ identity_ids: labels }) =>
      postJson<AssignedPlan>(`/plans/${planId}/assign`, {
        identity_ids: labels.flatMap((label) => ids.get(label) ?? []),
      }),
    touches: PLAN_TOUCHES,
    done: ({ identity_ids: assigned }) =>
      `${plural(assigned.length, 'account has', 'accounts have')} this plan now`,
    resetTo: () => NOBODY,
  });
  return (
    <Form form={form} submitLabel="Assign this plan">
      <MultiComboboxField
        label="Add accounts"
        options={[...ids.keys()]}
        placeholder="Name or ID"
        description="Replaces the plan they have now. Their own rules and limits stay."
        {...form.field('identity_ids')}
      />
    </Form>
  );
}

/** The accounts that have a plan, and those that get it. */
export function PlanAccounts({ planId }: { planId: number }) {
  const identities = useQuery(identitiesQuery);
  return (
    <Card title="Accounts">
      <Loaded query={identities} what="accounts">
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
      </Loaded>
    </Card>
  );
}
