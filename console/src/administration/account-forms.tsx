import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AdministeredIdentity, BodyOf, QuotaLimits } from '@ticklake/client';
import { postJson } from '../api/client';
import { utcDateText } from '../format/texts';
import { draftOf, draftProblems, draftSubnets } from '../network/subnet-draft';
import { SubnetRows } from '../network/subnet-rows';
import { CheckboxField } from '../ui/checkbox-field';
import { DateField } from '../ui/date-field';
import { TextField } from '../ui/field';
import { Form, FormDialog } from '../ui/form';
import { nameProblem } from '../ui/input-problems';
import { Card, Notice, Query } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { changedValues, useChangeForm } from '../ui/use-form';
import styles from './account-forms.module.css';
import { LimitsFields, limitFields, limitProblems, limitsBody, parseCount } from './limits-fields';
import { ACCOUNT_TOUCHES, accountLimitsQuery, accountsQuery, plansQuery } from './queries';

type AccountFields = typeof NEW_ACCOUNT;

export const NEW_ACCOUNT = {
  name: '',
  max_active_api_keys: '5',
  ip_subnets: draftOf([]),
  plan_id: '',
  /** The account's own end: `YYYY-MM-DD`; '' for that of the plan, or none. */
  contract_ends_at: '',
  is_admin: false,
};

export function fieldsOf(account: AdministeredIdentity): AccountFields {
  const { name, max_active_api_keys, ip_subnets, plan_id, is_admin } = account;
  const end = account.own_contract_ends_at;
  return {
    name,
    max_active_api_keys: String(max_active_api_keys),
    ip_subnets: draftOf(ip_subnets),
    plan_id: plan_id === null ? '' : String(plan_id),
    contract_ends_at: end === null ? '' : utcDateText(end),
    is_admin,
  };
}

export function accountProblems({ name, max_active_api_keys, ip_subnets }: AccountFields) {
  return {
    name: nameProblem(name),
    max_active_api_keys:
      parseCount(max_active_api_keys) === null ? 'Enter a whole number, 0 or more' : '',
    ip_subnets: draftProblems(ip_subnets).size > 0 ? 'Fix the invalid subnets' : '',
  };
}

function sentValues(fields: AccountFields): BodyOf<'createIdentity'> {
  const maxActiveKeys = parseCount(fields.max_active_api_keys);
  return {
    name: fields.name,
    is_admin: fields.is_admin,
    ip_subnets: draftSubnets(fields.ip_subnets),
    plan_id: fields.plan_id === '' ? null : Number(fields.plan_id),
    contract_ends_at: fields.contract_ends_at || null,
    ...(maxActiveKeys === null ? {} : { max_active_api_keys: maxActiveKeys }),
  };
}

/** The changed fields; all fields for a new account. */
export function accountBody(
  fields: AccountFields,
  kept: AccountFields | null,
): BodyOf<'updateIdentity'> {
  const values = sentValues(fields);
  return kept === null ? values : changedValues(values, sentValues(kept));
}

export function subnetsText(subnets: readonly string[]): string {
  if (subnets.length === 0) return 'Anywhere';
  const [first = '', ...others] = subnets;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

type AccountForm = ReturnType<typeof useChangeForm<AccountFields, AdministeredIdentity>>;

function AccountFormFields({ form, isNew = false }: { form: AccountForm; isNew?: boolean }) {
  const { field } = form;
  const { value: draft, error, onValueChange } = field('ip_subnets');
  const { data: plans = [] } = useQuery(plansQuery);
  const known = plans.map(({ plan_id, name }) => ({ value: String(plan_id), label: name }));
  return (
    <>
      <TextField label="Name" {...field('name')} />
      <TextField
        label="Key limit"
        inputMode="numeric"
        description={`How many active API keys it may have.${isNew ? '' : ' Lowering this does not affect existing keys.'}`}
        {...field('max_active_api_keys')}
      />
      <SelectField
        label="Plan"
        options={[{ value: '', label: 'No plan' }, ...known]}
        description="Gives the account the plan's rules, limits and end of contract."
        {...field('plan_id')}
      />
      <DateField
        label="End of contract"
        description="All requests are refused from 00:00 UTC on this day. Leave empty for the plan's end of contract, if it has one."
        {...field('contract_ends_at')}
      />
      <fieldset className={styles.subnets}>
        <legend className={styles.legend}>Allowed subnets</legend>
        <p>
          {draft.rows.length === 0
            ? 'No subnets: requests are allowed from anywhere.'
            : 'Requests are allowed only from these subnets.'}
        </p>
        <SubnetRows draft={draft} onDraftChange={onValueChange} />
        {/* Problems with single entries are shown beside them. */}
        {error && draftProblems(draft).size === 0 && <Notice kind="danger">{error}</Notice>}
      </fieldset>
      <CheckboxField
        label="Administrator"
        description="Its keys can administer all accounts over HTTP."
        {...field('is_admin')}
      />
    </>
  );
}

export function CreateAccountDialog() {
  const navigate = useNavigate();
  const form = useChangeForm<AccountFields, AdministeredIdentity>({
    initial: NEW_ACCOUNT,
    problemsOf: accountProblems,
    draft: 'new-account',
    send: (fields) => postJson<AdministeredIdentity>('/identities', accountBody(fields, null)),
    touches: [accountsQuery.queryKey],
    done: ({ name }) => `${name} was created`,
    onDone: ({ identity_id: id }) =>
      void navigate({ to: '/accounts/$accountId', params: { accountId: String(id) } }),
  });
  return (
    <FormDialog
      title="New account"
      description="Without a plan, a new account can’t read any data. Add rules, limits and keys on its page."
      form={form}
      submitLabel="Create"
    >
      <AccountFormFields form={form} isNew />
    </FormDialog>
  );
}

export function AccountSettings({ account }: { account: AdministeredIdentity }) {
  const { identity_id: id } = account;
  const kept = fieldsOf(account);
  const form = useChangeForm<AccountFields, AdministeredIdentity>({
    initial: kept,
    problemsOf: accountProblems,
    send: (fields) => postJson(`/identities/${id}/update`, accountBody(fields, kept)),
    touches: ACCOUNT_TOUCHES,
    done: 'The settings were saved',
    resetTo: fieldsOf,
  });
  return (
    <Card title="Settings">
      <Form
        form={form}
        submitLabel="Save"
        isUnchanged={Object.keys(accountBody(form.values, kept)).length === 0}
      >
        <AccountFormFields form={form} />
      </Form>
    </Card>
  );
}

function LimitsForm({ limits }: { limits: QuotaLimits }) {
  const { identity_id: id, own_quotas_limit: kept, plan_quotas_limit: plan } = limits;
  const form = useChangeForm({
    initial: limitFields(kept),
    problemsOf: limitProblems,
    send: (fields) => postJson<QuotaLimits>(`/identities/${id}/quotas`, limitsBody(fields, kept)),
    touches: ACCOUNT_TOUCHES,
    done: 'The limits were saved',
    resetTo: (after) => limitFields(after.own_quotas_limit),
  });
  const isUnchanged =
    Object.keys(limitsBody(form.values, kept)).length === 0 &&
    Object.values(limitProblems(form.values)).every((problem) => problem === '');
  return (
    <Form form={form} submitLabel="Save" isUnchanged={isUnchanged}>
      <LimitsFields field={form.field} plan={plan} />
    </Form>
  );
}

export function AccountLimits({ accountId }: { accountId: number }) {
  return (
    <Card title="Limits">
      <Query of={accountLimitsQuery(accountId)} what="limits">
        {(loaded) => <LimitsForm limits={loaded} />}
      </Query>
    </Card>
  );
}
