import { useQuery } from '@tanstack/react-query';
import type { AddedRules, DatasetRow } from '@ticklake/client';
import { postJson } from '../api/client';
import { catalogueQuery } from '../api/queries';
import { useChange } from '../api/use-change';
import { plural } from '../format/amounts';
import { CheckboxField } from '../ui/checkbox-field';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { Loaded } from '../ui/loading';
import { MultiComboboxField } from '../ui/multi-combobox-field';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import { NEW_RULES, type RulesFields, rulesBody, rulesProblems } from './rule-fields';
import type { RuleHolder } from './rule-holder';
import { RuleTermsFields } from './rule-terms-fields';

interface AddRulesProps {
  holder: RuleHolder;
  onClose: () => void;
}

/** What was added, and what was skipped. */
function addedText({ added, skipped_dataset_ids: skipped }: AddedRules): string {
  const text = `${plural(added.length, 'rule was', 'rules were')} added`;
  return skipped.length === 0
    ? text
    : `${text}; ${plural(skipped.length, 'dataset was', 'datasets were')} skipped`;
}

/** Sends fields that add rules to a holder, and says what became of them. */
export function useAddedRules<F>(
  path: string,
  { holder, onClose }: AddRulesProps,
  bodyOf: (fields: F) => object,
) {
  const toasts = useToasts();
  return useChange({
    send: (fields: F) => postJson<AddedRules>(path, bodyOf(fields)),
    touches: holder.touches,
    onDone: (answer) => {
      toasts.add({ title: addedText(answer) });
      onClose();
    },
  });
}

function RulesForm({ catalogue, ...props }: AddRulesProps & { catalogue: readonly DatasetRow[] }) {
  const { holder } = props;
  const add = useAddedRules(holder.addPath, props, rulesBody);
  const form = useForm<RulesFields>({
    initial: NEW_RULES,
    problemsOf: rulesProblems,
    change: add,
    draft: holder.addPath,
  });
  const { values, errors, set } = form;
  const labels = new Map(catalogue.map((row) => [row.dataset_id, labelOf(row)]));
  const ids = new Map(catalogue.map((row) => [labelOf(row), row.dataset_id]));
  const groups = [...new Set(catalogue.map(({ data_group }) => data_group))];
  return (
    <Form form={form} submitLabel="Add" isBusy={add.isPending} onCancel={props.onClose}>
      <MultiComboboxField
        label="Datasets"
        name="dataset_ids"
        values={values.dataset_ids.map((id) => labels.get(id) ?? id)}
        options={[...ids.keys()]}
        onValuesChange={(chosen) => set('dataset_ids')(chosen.map((each) => ids.get(each) ?? each))}
        error={errors.dataset_ids}
        placeholder="Name or ID"
      />
      <MultiComboboxField
        label="Groups"
        name="groups"
        values={values.groups}
        options={groups}
        onValuesChange={set('groups')}
        error={errors.groups}
        placeholder="All datasets of a group"
      />
      <RuleTermsFields values={values} errors={errors} set={set} />
      <CheckboxField
        label={`Skip datasets that the ${holder.noun} already has a rule for`}
        name="skip_overlapping"
        isChecked={values.skip_overlapping}
        onCheckedChange={set('skip_overlapping')}
        error={errors.skip_overlapping}
      />
    </Form>
  );
}

function labelOf({ dataset_name, dataset_id }: DatasetRow): string {
  return `${dataset_name} (${dataset_id})`;
}

/** Lets an account, or those of a plan, read more datasets, or another window of some. */
export function AddRulesDialog(props: AddRulesProps) {
  const catalogue = useQuery(catalogueQuery);
  return (
    <Dialog isOpen onClose={props.onClose} title="Add rules">
      <Loaded query={catalogue} what="the catalogue">
        {(rows) => <RulesForm {...props} catalogue={rows} />}
      </Loaded>
    </Dialog>
  );
}
