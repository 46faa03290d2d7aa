import { useQuery } from '@tanstack/react-query';
import type { AccessRequest } from '@ticklake/client';
import { useState } from 'react';
import { postJson } from '../api/client';
import { myAccessRequestsQuery } from '../api/queries';
import { useChange } from '../api/use-change';
import { utcMinuteText } from '../format/times';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { Notice } from '../ui/notice';
import { TextAreaField } from '../ui/text-area-field';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';

function AskDialog({ datasetId, onClose }: { datasetId: string; onClose: () => void }) {
  const toasts = useToasts();
  const ask = useChange({
    send: ({ note }: { note: string }) => {
      const text = note.trim();
      const body = { dataset_id: datasetId, ...(text === '' ? {} : { note: text }) };
      return postJson<AccessRequest>('/account/my/access-requests', body);
    },
    touches: [myAccessRequestsQuery.queryKey],
    onDone: () => {
      toasts.add({ title: 'Your request was sent' });
      onClose();
    },
  });
  const form = useForm({ initial: { note: '' }, problemsOf: () => ({}), change: ask });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Ask for access"
      description="An owner of this service decides."
    >
      <Form form={form} submitLabel="Ask" isBusy={ask.isPending} onCancel={onClose}>
        <TextAreaField
          label="What you need it for (optional)"
          name="note"
          value={form.values.note}
          onValueChange={form.set('note')}
          error={form.errors.note}
        />
      </Form>
    </Dialog>
  );
}

/** Instead of a dataset's rules where the account has none: asking for access, and what became of that. */
export function AskForAccess({ datasetId }: { datasetId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const { data } = useQuery(myAccessRequestsQuery);
  const last = data?.data.find(({ dataset_id }) => dataset_id === datasetId);
  if (last?.state === 'open') {
    return (
      <Notice kind="info" title="You asked for access">
        {last.asked_by} asked on {utcMinuteText(last.created_at)}. An owner of this service will
        decide.
      </Notice>
    );
  }
  return (
    <>
      <Notice kind="info" title="No access to this dataset">
        {last?.state === 'declined'
          ? 'An owner declined your request. You can ask again.'
          : 'Your account can’t read this dataset yet.'}
      </Notice>
      <div>
        <Button kind="primary" onClick={() => setIsAsking(true)}>
          Ask for access
        </Button>
      </div>
      {isAsking && <AskDialog datasetId={datasetId} onClose={() => setIsAsking(false)} />}
    </>
  );
}
