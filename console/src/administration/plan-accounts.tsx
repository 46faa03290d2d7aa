import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AdministeredIdentity, AssignedPlan } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { plural } from '../format/amounts';
import { utcDateText } from '../format/times';
import { Form } from '../ui/form';
import { Loaded } from '../ui/loading';
import { MultiComboboxField } from '../ui/multi-combobox-field';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import { IdentityBadges } from './identity-badges';
import { identitiesQuery, PLAN_TOUCHES } from './queries';

/** Where an account has its own end in place of the plan's. */
function endText({ contract_ends_at: end, own_contract_ends_at: own }: AdministeredIdentity) {
  if (end === null) return 'No end';
  return own === null ? utcDateText(end) : `${utcDateText(end)} (its own)`;
}

const COLUMNS: readonly TableColumn<AdministeredIdentity>[] = [
  {
    key: 'name',
    header: 'Account',
    isRowHeader: true,
    isWrapped: true,
    cell: ({ identity_id, name }) => (
      <Link to="/identities/$identityId" params={{ identityId: String(identity_id) }}>
        {name}
      </Link>
    ),
  },
  { key: 'state', header: 'State', cell: (row) => <IdentityBadges identity={row} /> },
  { key: 'end', header: 'Contract ends', cell: endText },
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
  const toasts = useToasts();
  const others = accounts.filter(({ plan_id, is_admin }) => plan_id !== planId && !is_admin);
  const ids = new Map(others.map((each) => [labelOf(each), each.identity_id]));
  const assign = useChange({
    send: ({ identity_ids: labels }: AssignFields) =>
      postJson<AssignedPlan>(`/plans/${planId}/assign`, {
        identity_ids: labels.flatMap((label) => ids.get(label) ?? []),
      }),
    touches: PLAN_TOUCHES,
    onDone: ({ identity_ids }) => {
      toasts.add({
        title: `${plural(identity_ids.length, 'account has', 'accounts have')} this plan now`,
      });
      form.reset(NOBODY);
    },
  });
  const problemsOf = ({ identity_ids }: AssignFields) => ({
    identity_ids: identity_ids.length === 0 ? 'Choose accounts' : '',
  });
  const form = useForm({ initial: NOBODY, problemsOf, change: assign });
  return (
    <Form form={form} submitLabel="Assign this plan" isBusy={assign.isPending}>
      <MultiComboboxField
        label="Add accounts"
        name="identity_ids"
        values={form.values.identity_ids}
        options={[...ids.keys()]}
        onValuesChange={form.set('identity_ids')}
        error={form.errors.identity_ids}
        placeholder="Name or ID"
        description="Replaces the plan they have now. Their own rules and limits stay."
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
