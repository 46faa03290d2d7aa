import type { AdministeredRule } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import { type TermsFields, termsBody, termsOf, termsProblems } from './rule-fields';
import type { RuleHolder } from './rule-holder';
import { RuleTermsFields } from './rule-terms-fields';

interface EditRuleProps {
  rule: AdministeredRule;
  holder: RuleHolder;
  onClose: () => void;
}

function EditForm({ rule, holder, onClose }: EditRuleProps) {
  const toasts = useToasts();
  const update = useChange({
    send: (fields: TermsFields) =>
      postJson<AdministeredRule>(`/data-access-rules/${rule.rule_id}/update`, termsBody(fields)),
    touches: holder.touches,
    onDone: () => {
      toasts.add({ title: `The rule for ${rule.dataset_name ?? rule.dataset_id} was changed` });
      onClose();
    },
  });
  const form = useForm({ initial: termsOf(rule), problemsOf: termsProblems, change: update });
  return (
    <Form form={form} submitLabel="Save" isBusy={update.isPending} onCancel={onClose}>
      <RuleTermsFields values={form.values} errors={form.errors} set={form.set} />
    </Form>
  );
}

/** Changes the window or the identifiers of a rule. */
export function EditRuleDialog(props: EditRuleProps) {
  const { rule } = props;
  return (
    <Dialog
      isOpen
      onClose={props.onClose}
      title="Edit the rule"
      description={`${rule.dataset_name ?? 'No longer in the catalogue'} (${rule.dataset_id})`}
    >
      <EditForm {...props} />
    </Dialog>
  );
}
