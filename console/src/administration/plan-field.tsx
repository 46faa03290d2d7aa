import { useQuery } from '@tanstack/react-query';
import { SelectField } from '../ui/select-field';
import { plansQuery } from './queries';

interface PlanFieldProps {
  /** '' for none. */
  value: string;
  onValueChange: (planId: string) => void;
  error: string | undefined;
}

/** The plan of an account. */
export function PlanField({ value, onValueChange, error }: PlanFieldProps) {
  const plans = useQuery(plansQuery);
  const known = (plans.data ?? []).map(({ plan_id, name }) => ({
    value: String(plan_id),
    label: name,
  }));
  return (
    <SelectField
      label="Plan"
      name="plan_id"
      value={value}
      options={[{ value: '', label: 'No plan' }, ...known]}
      onValueChange={onValueChange}
      error={error}
      description="Gives the account the plan's rules, limits and end of contract."
    />
  );
}
