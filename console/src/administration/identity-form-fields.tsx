import { draftProblems } from '../network/subnet-draft';
import { SubnetRows } from '../network/subnet-rows';
import { CheckboxField } from '../ui/checkbox-field';
import { DateField } from '../ui/date-field';
import { Notice } from '../ui/notice';
import { TextField } from '../ui/text-field';
import type { Problems } from '../ui/use-form';
import type { IdentityFields } from './identity-fields';
import styles from './identity-form-fields.module.css';
import { PlanField } from './plan-field';

interface IdentityFormFieldsProps {
  values: IdentityFields;
  errors: Problems;
  /** It has no keys yet. */
  isNew?: boolean;
  set: <Name extends keyof IdentityFields & string>(
    name: Name,
  ) => (value: IdentityFields[Name]) => void;
}

/** Name, ceiling, plan, end of contract, subnets and mark of an identity. */
export function IdentityFormFields({
  values,
  errors,
  isNew = false,
  set,
}: IdentityFormFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        value={values.name}
        onValueChange={set('name')}
        error={errors.name}
      />
      <TextField
        label="Maximum active API keys"
        name="max_active_api_keys"
        inputMode="numeric"
        value={values.max_active_api_keys}
        onValueChange={set('max_active_api_keys')}
        error={errors.max_active_api_keys}
        description={!isNew && 'Lowering this does not affect existing keys.'}
      />
      <PlanField value={values.plan_id} onValueChange={set('plan_id')} error={errors.plan_id} />
      <DateField
        label="End of contract"
        name="contract_ends_at"
        value={values.contract_ends_at}
        onValueChange={set('contract_ends_at')}
        error={errors.contract_ends_at}
        description="All requests are refused from 00:00 UTC on this day. Leave empty for the plan's end of contract, if it has one."
      />
      <fieldset className={styles.subnets}>
        <legend className={styles.legend}>Subnets</legend>
        <p>
          {values.ip_subnets.rows.length === 0
            ? 'No subnets: requests are allowed from anywhere.'
            : 'Requests are allowed only from these subnets.'}
        </p>
        <SubnetRows draft={values.ip_subnets} onDraftChange={set('ip_subnets')} />
        {/* Problems with single entries are shown beside them. */}
        {errors.ip_subnets && draftProblems(values.ip_subnets).size === 0 && (
          <Notice kind="danger">{errors.ip_subnets}</Notice>
        )}
      </fieldset>
      <CheckboxField
        label="Administrator"
        name="is_admin"
        isChecked={values.is_admin}
        onCheckedChange={set('is_admin')}
        error={errors.is_admin}
        description="Its keys can administer all accounts over HTTP."
      />
    </>
  );
}
