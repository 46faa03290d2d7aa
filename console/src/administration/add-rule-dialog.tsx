import { useQuery } from '@tanstack/react-query';
import type { AdministeredRule, DatasetRow } from '@ticklake/client';
import { postJson } from '../api/client';
import { catalogueQuery } from '../api/queries';
import { useChange } from '../api/use-change';
import { ComboboxField } from '../ui/combobox-field';
import { DateField } from '../ui/date-field';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { Loaded } from '../ui/loading';
import { TextAreaField } from '../ui/text-area-field';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import styles from './add-rule-dialog.module.css';
import { identityTouches } from './queries';
import { NEW_RULE, type RuleFields, ruleBody, ruleProblems } from './rule-fields';

interface AddRuleProps {
  identityId: number;
  onClose: () => void;
}

function datasetOptions(rows: readonly DatasetRow[]) {
  return rows.map(({ dataset_id, dataset_name, dataset_text_id }) => ({
    value: dataset_id,
    label: dataset_name,
    hint: `${dataset_id} · ${dataset_text_id}`,
  }));
}

function useAddRule({ identityId, onClose }: AddRuleProps) {
  const toasts = useToasts();
  return useChange({
    send: (fields: RuleFields) =>
      postJson<AdministeredRule>(`/identities/${identityId}/data-access-rules`, ruleBody(fields)),
    touches: identityTouches(identityId),
    onDone: (rule) => {
      toasts.add({ title: `A rule for ${rule.dataset_name} was added` });
      onClose();
    },
  });
}

function RuleForm({ catalogue, ...props }: AddRuleProps & { catalogue: readonly DatasetRow[] }) {
  const add = useAddRule(props);
  const form = useForm({
    initial: NEW_RULE,
    problemsOf: ruleProblems,
    change: add,
    draft: 'new-rule',
  });
  const { values, errors, set } = form;
  return (
    <Form form={form} submitLabel="Add" isBusy={add.isPending} onCancel={props.onClose}>
      <ComboboxField
        label="Dataset"
        name="dataset_id"
        value={values.dataset_id}
        options={datasetOptions(catalogue)}
        onValueChange={set('dataset_id')}
        error={errors.dataset_id}
        placeholder="Name or ID"
        empty="No datasets match."
      />
      <div className={styles.window}>
        <DateField
          label="First trade date"
          name="start_date"
          value={values.start_date}
          onValueChange={set('start_date')}
          error={errors.start_date}
          description="Leave empty to start with the first date."
        />
        <DateField
          label="Last trade date"
          name="end_date"
          value={values.end_date}
          onValueChange={set('end_date')}
          error={errors.end_date}
          description="Leave empty for no end date."
        />
      </div>
      <TextAreaField
        label="Identifiers"
        name="universe_identifiers"
        value={values.universe_identifiers}
        onValueChange={set('universe_identifiers')}
        error={errors.universe_identifiers}
        placeholder="AAPL, MSFT"
        rows={3}
        description="Tickers, permanent IDs, futures base symbols or option underlyings. Leave empty for all."
      />
    </Form>
  );
}

/** Lets an identity read one more dataset, or another window of one. */
export function AddRuleDialog(props: AddRuleProps) {
  const catalogue = useQuery(catalogueQuery);
  return (
    <Dialog isOpen onClose={props.onClose} title="Add a rule">
      <Loaded query={catalogue} what="the catalogue">
        {(rows) => <RuleForm {...props} catalogue={rows} />}
      </Loaded>
    </Dialog>
  );
}
