import { useQuery } from '@tanstack/react-query';
import type { BodyOf } from '@ticklake/client';
import { CheckboxField } from '../ui/checkbox-field';
import { ComboboxField } from '../ui/combobox-field';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useForm } from '../ui/use-form';
import { useAddedRules } from './add-rules-dialog';
import { identitiesQuery, plansQuery } from './queries';
import type { RuleHolder } from './rule-holder';

interface CopyRulesProps {
  holder: RuleHolder;
  onClose: () => void;
}

interface CopyFields extends Readonly<Record<string, unknown>> {
  /** `identity:3` or `plan:2`; '' while none is chosen. */
  readonly source: string;
  readonly skip_overlapping: boolean;
}

const NOTHING: CopyFields = { source: '', skip_overlapping: true };

function copyProblems({ source }: CopyFields) {
  return { source: source === '' ? 'Choose an account or a plan' : '' };
}

function copyBody({ source, skip_overlapping }: CopyFields): BodyOf<'copyDataAccessRules'> {
  const [kind, id] = source.split(':');
  const from = kind === 'plan' ? { from_plan_id: Number(id) } : { from_identity_id: Number(id) };
  return { ...from, skip_overlapping };
}

function useSources() {
  const identities = useQuery(identitiesQuery);
  const plans = useQuery(plansQuery);
  return [
    ...(plans.data ?? []).map(({ plan_id, name }) => ({
      value: `plan:${plan_id}`,
      label: name,
      hint: `Plan ${plan_id}`,
    })),
    ...(identities.data ?? []).map(({ identity_id, name }) => ({
      value: `identity:${identity_id}`,
      label: name,
      hint: `Account ${identity_id}`,
    })),
  ];
}

function CopyForm(props: CopyRulesProps) {
  const { holder, onClose } = props;
  const sources = useSources();
  const copy = useAddedRules(holder.copyPath, props, copyBody);
  const form = useForm({ initial: NOTHING, problemsOf: copyProblems, change: copy });
  const { values, errors, set } = form;
  return (
    <Form form={form} submitLabel="Copy" isBusy={copy.isPending} onCancel={onClose}>
      <ComboboxField
        label="Copy from"
        name="source"
        value={values.source}
        options={sources}
        onValueChange={set('source')}
        error={errors.source || errors.from_identity_id || errors.from_plan_id}
        placeholder="Name of an account or a plan"
        empty="Nothing matches."
        description="Copies an account's own rules, not those of its plan."
      />
      <CheckboxField
        label={`Skip datasets that the ${holder.noun} already has a rule for`}
        name="skip_overlapping"
        isChecked={values.skip_overlapping}
        onCheckedChange={set('skip_overlapping')}
      />
    </Form>
  );
}

/** Gives an account or a plan the rules that another one has. */
export function CopyRulesDialog(props: CopyRulesProps) {
  return (
    <Dialog isOpen onClose={props.onClose} title="Copy rules">
      <CopyForm {...props} />
    </Dialog>
  );
}
