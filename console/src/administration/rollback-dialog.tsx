import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { PublicationRecord } from '@ticklake/client';
import { useState } from 'react';
import { postJson } from '../api/client';
import { Button } from '../ui/button';
import { Sentences } from '../ui/confirm-dialog';
import { TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { useChangeForm } from '../ui/use-form';
import { PUBLISHED_QUERIES, publicationsQuery, versionDiffQuery } from './queries';
import { versionSentences } from './rollback-text';

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
  const navigate = useNavigate();
  const form = useChangeForm({
    initial: { reason: '' },
    problemsOf: ({ reason }) => ({
      reason: [...reason].length > REASON_CHARACTERS_MAX ? 'Use at most 1,000 characters' : '',
    }),
    send: ({ reason }) => {
      const why = reason.trim();
      const body = { ...target, ...(why === '' ? {} : { reason: why }) };
      return postJson<PublicationRecord>('/admin/publications/rollback', body);
    },
    touches: PUBLISHED_QUERIES,
    done,
    onDone: ({ publication_id: made }) => {
      onClose();
      const params = { publicationId: String(made) };
      void navigate({ to: '/publications/$publicationId', params });
    },
  });
  return (
    <FormDialog
      title={title}
      description="From their next request on, clients get the earlier rows. Nothing is deleted: you can roll back the rollback."
      head={<Sentences sentences={sentences} />}
      form={form}
      submitLabel="Roll back"
      isUnchanged={!isReady}
      onClose={onClose}
    >
      <TextField
        label="Reason"
        description="Optional. Kept in the ledger."
        {...form.field('reason')}
      />
    </FormDialog>
  );
}

interface VersionRollbackProps {
  datasetId: string;
  version: number;
}

function AskForRollback({
  datasetId,
  version,
  current,
  onClose,
}: VersionRollbackProps & { current: number; onClose: () => void }) {
  const diff = useQuery(versionDiffQuery(datasetId, version, current));
  const sentences = diff.data?.datasets.map((each) => versionSentences(each));
  return (
    <RollbackDialog
      title={`Roll ${datasetId} back to version ${version}?`}
      sentences={sentences ?? [diff.error?.message ?? 'Checking what would change…']}
      isReady={sentences !== undefined}
      target={{ dataset_id: datasetId, to_version: version }}
      done={`${datasetId} is back at version ${version}`}
      onClose={onClose}
    />
  );
}

/** A button that makes an earlier version current again; nothing where it is the current one. */
export function VersionRollback({ datasetId, version }: VersionRollbackProps) {
  const [isAsked, setIsAsked] = useState(false);
  const { data: datasets = [] } = useQuery(publicationsQuery);
  const current = datasets.find((each) => each.dataset_id === datasetId)?.version ?? 0;
  if (current <= version) return null;
  const ask = { datasetId, version, current };
  return (
    <div>
      <Button onClick={() => setIsAsked(true)}>{`Roll back to version ${version}…`}</Button>
      {isAsked && <AskForRollback {...ask} onClose={() => setIsAsked(false)} />}
    </div>
  );
}
