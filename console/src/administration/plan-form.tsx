import { useNavigate } from '@tanstack/react-router';
import type { Plan } from '@ticklake/client';
import { postJson } from '../api/client';
import { DateField } from '../ui/date-field';
import { TextField } from '../ui/field';
import { Form, FormDialog } from '../ui/form';
import { Card } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { useChangeForm } from '../ui/use-form';
import { type FieldOfLimit, LimitsFields } from './limits-fields';
import {
  type ContractEnd,
  NEW_PLAN,
  type PlanFields,
  planBody,
  planFields,
  planProblems,
} from './plan-fields';
import { ACCOUNT_TOUCHES } from './queries';

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

export function CreatePlanDialog({ onClose }: { onClose: () => void }) {
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
      onClose={onClose}
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
