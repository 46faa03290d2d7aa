import { DateField } from '../ui/date-field';
import { SelectField } from '../ui/select-field';
import { TextField } from '../ui/text-field';
import type { FormState } from '../ui/use-form';
import { BYTES_HINT } from './identity-limits-card';
import type { LimitName, LimitValue } from './limit-fields';
import { LimitsFields } from './limits-fields';
import type { ContractEnd, PlanFields } from './plan-fields';

const ENDS: readonly { readonly value: ContractEnd; readonly label: string }[] = [
  { value: 'none', label: 'Contracts have no end' },
  { value: 'date', label: 'On a date' },
  { value: 'days', label: 'A number of days after an account gets the plan' },
];

interface PlanFormFieldsProps {
  form: FormState & {
    readonly values: PlanFields;
    readonly set: <Name extends keyof PlanFields & string>(
      name: Name,
    ) => (value: PlanFields[Name]) => void;
  };
}

/** Name, end of contract and limits of a plan. */
export function PlanFormFields({ form: { values, errors, set } }: PlanFormFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        value={values.name}
        onValueChange={set('name')}
        error={errors.name}
      />
      <SelectField
        label="End of contract"
        name="contract"
        value={values.contract}
        options={ENDS}
        onValueChange={set('contract')}
        error={errors.contract}
      />
      {values.contract === 'date' && (
        <DateField
          label="Date"
          name="contract_ends_at"
          value={values.contract_ends_at}
          onValueChange={set('contract_ends_at')}
          error={errors.contract_ends_at}
          description="All requests are refused from 00:00 UTC on this day."
        />
      )}
      {values.contract === 'days' && (
        <TextField
          label="Days"
          name="contract_days"
          inputMode="numeric"
          value={values.contract_days}
          onValueChange={set('contract_days')}
          error={errors.contract_days}
        />
      )}
      <p>{BYTES_HINT}</p>
      <LimitsFields
        values={values}
        errors={errors}
        set={set as (name: LimitName) => (value: LimitValue) => void}
        plan={null}
      />
    </>
  );
}
