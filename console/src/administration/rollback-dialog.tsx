import { useNavigate } from '@tanstack/react-router';
import type { PublicationRecord } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { TextField } from '../ui/text-field';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import { Sentences } from './loss-dialog';
import { PUBLISHED_QUERIES } from './queries';

const REASON_CHARACTERS_MAX = 1000;

interface RollbackDialogProps {
  title: string;
  /** What it will do, one sentence each. */
  sentences: readonly string[];
  /** False while that is not known. */
  isReady?: boolean;
  /** As the service takes it. */
  target: Readonly<Record<string, string | number>>;
  /** Said once it is done. */
  done: string;
  onClose: () => void;
}

/** Says what rolling back will do, asks why, does it, and leads to the publication that it made. */
export function RollbackDialog(props: RollbackDialogProps) {
  const { title, sentences, isReady = true, target, done, onClose } = props;
  const toasts = useToasts();
  const navigate = useNavigate();
  const rollBack = useChange({
    send: ({ reason }: { reason: string }) => {
      const why = reason.trim();
      const body = { ...target, ...(why === '' ? {} : { reason: why }) };
      return postJson<PublicationRecord>('/admin/publications/rollback', body);
    },
    touches: PUBLISHED_QUERIES,
    onDone: ({ publication_id: made }) => {
      toasts.add({ title: done });
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
      reason: [...reason].length > REASON_CHARACTERS_MAX ? 'Use at most 1,000 characters' : '',
    }),
    change: rollBack,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description="From their next request on, clients get the earlier rows. Nothing is deleted: you can roll back the rollback."
    >
      <Sentences sentences={sentences} />
      <Form
        form={form}
        submitLabel="Roll back"
        isBusy={rollBack.isPending}
        isUnchanged={!isReady}
        onCancel={onClose}
      >
        <TextField
          label="Reason"
          name="reason"
          description="Optional. Kept in the ledger."
          value={form.values.reason}
          error={form.errors.reason}
          onValueChange={form.set('reason')}
        />
      </Form>
    </Dialog>
  );
}
