import { useQuery } from '@tanstack/react-query';
import type { AccessRequest } from '@ticklake/client';
import { postJson } from '../api/client';
import { myAccessRequestsQuery } from '../api/queries';
import { utcMinuteText } from '../format/texts';
import { Button } from '../ui/button';
import { TextAreaField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { oneLine } from '../ui/input-problems';
import { showDialog } from '../ui/open-dialog';
import { Notice } from '../ui/page';
import { useChangeForm } from '../ui/use-form';

function AskDialog({ datasetId }: { datasetId: string }) {
  const form = useChangeForm({
    initial: { note: '' },
    send: ({ note }) => {
      const text = oneLine(note);
      const body = { dataset_id: datasetId, ...(text === '' ? {} : { note: text }) };
      return postJson<AccessRequest>('/account/my/access-requests', body);
    },
    touches: [myAccessRequestsQuery.queryKey],
    done: 'Your request was sent',
  });
  return (
    <FormDialog
      title="Ask for access"
      description="An owner of this service decides."
      form={form}
      submitLabel="Ask"
    >
      <TextAreaField label="What you need it for (optional)" {...form.field('note')} />
    </FormDialog>
  );
}

/** Asks for access, in place of the rules of a dataset that the account has none for. */
export function AskForAccess({ datasetId }: { datasetId: string }) {
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
        <Button kind="primary" onClick={() => showDialog(<AskDialog datasetId={datasetId} />)}>
          Ask for access
        </Button>
      </div>
    </>
  );
}
