import { useNavigate } from '@tanstack/react-router';
import type { PublicationRecord } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { TextField } from '../ui/text-field';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import { rollbackSentences } from './rollback-text';

const REASON_CHARACTERS_MAX = 1000;

interface RollbackDialogProps {
  record: PublicationRecord;
  onClose: () => void;
}

/** Says what rolling back will do, asks why, does it, and leads to the publication that it made. */
export function RollbackDialog({ record, onClose }: RollbackDialogProps) {
  const { publication_id: id } = record;
  const toasts = useToasts();
  const navigate = useNavigate();
  const rollBack = useChange({
    send: ({ reason }: { reason: string }) => {
      const why = reason.trim();
      const body = { publication_id: id, ...(why === '' ? {} : { reason: why }) };
      return postJson<PublicationRecord>('/admin/publications/rollback', body);
    },
    touches: [['publications'], ['publication'], ['history'], ['catalogue'], ['dataset']],
    onDone: ({ publication_id: made }) => {
      toasts.add({ title: `Publication ${id} was rolled back` });
      onClose();
      void navigate({
        to: '/publications/$publicationId',
        params: { publicationId: String(made) },
      });
    },
  });
  const form = useForm<{ reason: string }>({
    initial: { reason: '' },
    problemsOf: ({ reason }) => ({
      reason: [...reason].length > REASON_CHARACTERS_MAX ? 'At most 1,000 characters.' : '',
    }),
    change: rollBack,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Roll back publication ${id}?`}
      description="Every client reads the rows from before with its next request. Nothing is deleted: you can roll back the rollback."
    >
      <ul>
        {rollbackSentences(record).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Form form={form} submitLabel="Roll back" isBusy={rollBack.isPending} onCancel={onClose}>
        <TextField
          label="Reason"
          name="reason"
          description="For the ledger; may be left out."
          value={form.values.reason}
          error={form.errors.reason}
          onValueChange={form.set('reason')}
        />
      </Form>
    </Dialog>
  );
}
