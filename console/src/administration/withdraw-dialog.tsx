import { useNavigate } from '@tanstack/react-router';
import type { Withdrawal } from '@ticklake/client';
import { postJson } from '../api/client';
import { CheckboxField } from '../ui/checkbox-field';
import { ComboboxField } from '../ui/combobox-field';
import { DateField } from '../ui/date-field';
import { type Confirmation, ConfirmChange } from '../ui/dialog';
import { TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { showDialog } from '../ui/open-dialog';
import { useChangeForm } from '../ui/use-form';
import {
  type WithdrawalValues,
  withdrawalBody,
  withdrawalProblems,
  withdrawalSentences,
} from './publication-text';
import { PUBLISHED_QUERIES, useDatasetOptions } from './queries';

const send = (values: WithdrawalValues, isDryRun: boolean) => {
  const body = { ...withdrawalBody(values), dry_run: isDryRun };
  return postJson<Withdrawal>('/admin/publications/withdraw', body);
};

function AskForRows({ initial }: { initial: WithdrawalValues }) {
  const form = useChangeForm({
    initial,
    problemsOf: withdrawalProblems,
    send: (values) => send(values, true),
    touches: [['admin', 'publications', 'history']],
    onDone: (found, values, isShown) => {
      if (isShown) showDialog(<ConfirmWithdrawal {...{ values, found }} />);
    },
  });
  const { field } = form;
  return (
    <FormDialog
      title="Withdraw rows"
      description="Removes rows that should not have been published. You can check the rows before anything is removed."
      form={form}
      submitLabel="Check rows"
    >
      <ComboboxField label="Dataset" options={useDatasetOptions()} {...field('dataset_id')} />
      <DateField label="First day" {...field('from')} />
      <DateField label="Last day" description="Leave empty for one day." {...field('to')} />
      <TextField
        label="Identifiers"
        description="Separate with commas. If you also give days, only rows of those days are removed."
        {...field('identifiers')}
      />
      <CheckboxField label="All rows of the dataset" {...field('all')} />
      <TextField label="Reason" description="Kept in the ledger." {...field('reason')} />
    </FormDialog>
  );
}

interface ConfirmProps {
  values: WithdrawalValues;
  found: Withdrawal;
}

function ConfirmWithdrawal({ values, found }: ConfirmProps) {
  const navigate = useNavigate();
  const withdrawal: Confirmation<Withdrawal> = {
    title: `Withdraw rows of ${values.dataset_id}?`,
    description:
      'Clients stop getting these rows with their next request. You can roll this back while the previous version is retained.',
    sentences: withdrawalSentences(values.dataset_id, found),
    confirmLabel: found.partitions.length === 0 ? null : 'Withdraw',
    cancelLabel: 'Back',
    isDangerous: true,
    send: () => send(values, false),
    touches: PUBLISHED_QUERIES,
    done: 'The rows were withdrawn',
    onDone: ({ publication }) => {
      const params = { publicationId: String(publication.publication_id) };
      void navigate({ to: '/publications/$publicationId', params });
    },
    onClose: () => showDialog(<AskForRows initial={values} />),
  };
  return <ConfirmChange {...withdrawal} />;
}

export function askToWithdraw(datasetId = ''): void {
  const none = { from: '', to: '', identifiers: '', all: false, reason: '' };
  showDialog(<AskForRows initial={{ dataset_id: datasetId, ...none }} />);
}
