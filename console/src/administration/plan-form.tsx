import { useNavigate } from '@tanstack/react-router';
import type { BodyOf, Plan } from '@ticklake/client';
import { postJson } from '../api/client';
import { utcDateText } from '../format/texts';
import { DateField } from '../ui/date-field';
import { TextField } from '../ui/field';
import { Form, FormDialog } from '../ui/form';
import { nameProblem } from '../ui/input-problems';
import { Card } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { useChangeForm } from '../ui/use-form';
import {
  type FieldOfLimit,
  LimitsFields,
  type LimitTable,
  limitFields,
  limitProblems,
  limitsBody,
  parseCount,
} from './limits-fields';
import { ACCOUNT_TOUCHES } from './queries';

type ContractEnd = 'none' | 'date' | 'days';

const NO_LIMIT = { requests: null, data_scanned: null, data_returned: null };
const NO_LIMITS: LimitTable = { month: NO_LIMIT, minute: NO_LIMIT };
const CONTRACT_DAYS_MAX = 36_525;

/** The limits stand beside the other fields, each under its own name. */
export const NEW_PLAN = {
  ...limitFields(NO_LIMITS),
  name: '',
  contract: 'none' as ContractEnd,
  /** `YYYY-MM-DD`; counts only with `date`. */
  contract_ends_at: '',
  /** Counts only with `days`. */
  contract_days: '',
};
type PlanFields = typeof NEW_PLAN;

function contractOf({ contract_ends_at, contract_days }: Plan): ContractEnd {
  if (contract_ends_at !== null) return 'date';
  return contract_days === null ? 'none' : 'days';
}

export function planFields(plan: Plan): PlanFields {
  const { contract_ends_at: end, contract_days: days } = plan;
  return {
    ...limitFields(plan.quotas_limit),
    name: plan.name,
    contract: contractOf(plan),
    contract_ends_at: end === null ? '' : utcDateText(end),
    contract_days: days === null ? '' : String(days),
  };
}

function daysProblem(text: string): string {
  const days = parseCount(text);
  return days !== null && days >= 1 && days <= CONTRACT_DAYS_MAX
    ? ''
    : `Enter a whole number from 1 to ${CONTRACT_DAYS_MAX}`;
}

export function planProblems(fields: PlanFields): Readonly<Record<string, string>> {
  const { name, contract, contract_ends_at, contract_days } = fields;
  return {
    ...limitProblems(fields),
    name: nameProblem(name),
    contract_ends_at: contract === 'date' && contract_ends_at === '' ? 'Choose a date' : '',
    contract_days: contract === 'days' ? daysProblem(contract_days) : '',
  };
}

function endBody(
  fields: PlanFields,
): Pick<BodyOf<'updatePlan'>, 'contract_ends_at' | 'contract_days'> {
  const { contract, contract_ends_at, contract_days } = fields;
  if (contract === 'date') return { contract_ends_at };
  if (contract === 'days') return { contract_days: parseCount(contract_days) };
  return { contract_ends_at: null, contract_days: null };
}

/** All of a new plan; else what differs from the kept one. */
export function planBody(fields: PlanFields, kept: Plan | null): BodyOf<'updatePlan'> {
  const limits = limitsBody(fields, kept?.quotas_limit ?? NO_LIMITS);
  const before = kept && planFields(kept);
  const isSameEnd = before && JSON.stringify(endBody(before)) === JSON.stringify(endBody(fields));
  return {
    ...limits,
    ...(fields.name !== before?.name && { name: fields.name }),
    ...(!isSameEnd && endBody(fields)),
  };
}

/** `30 days after an account gets the plan`. */
export function planEndText({ contract_ends_at: end, contract_days: days }: Plan): string {
  if (end !== null) return utcDateText(end);
  return days === null ? 'No end' : `After ${days} ${days === 1 ? 'day' : 'days'}`;
}

const ENDS: readonly { readonly value: ContractEnd; readonly label: string }[] = [
  { value: 'none', label: 'Contracts have no end' },
  { value: 'date', label: 'On a date' },
  { value: 'days', label: 'A number of days after an account gets the plan' },
];

type PlanForm = Pick<ReturnType<typeof useChangeForm<PlanFields, Plan>>, 'values' | 'field'>;

function PlanFormFields({ form: { values, field } }: { form: PlanForm }) {
  return (
    <>
      <TextField label="Name" {...field('name')} />
      <SelectField label="End of contract" options={ENDS} {...field('contract')} />
      {values.contract === 'date' && (
        <DateField
          label="Date"
          description="All requests are refused from 00:00 UTC on this day."
          {...field('contract_ends_at')}
        />
      )}
      {values.contract === 'days' && (
        <TextField label="Days" inputMode="numeric" {...field('contract_days')} />
      )}
      <LimitsFields field={field as FieldOfLimit} plan={null} />
    </>
  );
}

export function CreatePlanDialog() {
  const navigate = useNavigate();
  const form = useChangeForm<PlanFields, Plan>({
    initial: NEW_PLAN,
    problemsOf: planProblems,
    draft: 'new-plan',
    send: (fields) => postJson<Plan>('/plans', planBody(fields, null)),
    touches: ACCOUNT_TOUCHES,
    done: ({ name }) => `${name} was created`,
    onDone: ({ plan_id }) =>
      void navigate({ to: '/plans/$planId', params: { planId: String(plan_id) } }),
  });
  return (
    <FormDialog
      title="New plan"
      isWide
      description="A new plan gives no access to data. Add its rules and accounts on its page."
      form={form}
      submitLabel="Create"
    >
      <PlanFormFields form={form} />
    </FormDialog>
  );
}

export function PlanSettings({ plan }: { plan: Plan }) {
  const form = useChangeForm<PlanFields, Plan>({
    initial: planFields(plan),
    problemsOf: planProblems,
    send: (fields) => postJson<Plan>(`/plans/${plan.plan_id}/update`, planBody(fields, plan)),
    touches: ACCOUNT_TOUCHES,
    done: 'The plan was saved',
    resetTo: planFields,
  });
  return (
    <Card title="Settings">
      <p>
        Limits apply to each account separately. An account's own limits and end of contract
        override the plan's.
      </p>
      <Form
        form={form}
        submitLabel="Save"
        isUnchanged={Object.keys(planBody(form.values, plan)).length === 0}
      >
        <PlanFormFields form={form} />
      </Form>
    </Card>
  );
}
