import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { PublicationRecord, PublicationSummary } from '@ticklake/client';
import { useState } from 'react';
import { postJson } from '../api/client';
import { Button } from '../ui/button';
import { Sentences } from '../ui/dialog';
import { TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { useChangeForm } from '../ui/use-form';
import {
  canRollBack,
  reasonProblem,
  rollbackSentences,
  versionSentences,
} from './publication-text';
import { PUBLISHED_QUERIES, versionDiffQuery } from './queries';

interface RollbackDialogProps {
  title: string;
  sentences: readonly string[];
  isReady?: boolean;
  target: Readonly<Record<string, string | number>>;
  done: string;
  onClose: () => void;
}

function RollbackDialog(props: RollbackDialogProps) {
  const { title, sentences, isReady = true, target, done, onClose } = props;
  const navigate = useNavigate();
  const form = useChangeForm({
    initial: { reason: '' },
    problemsOf: ({ reason }) => ({ reason: reasonProblem(reason, false) }),
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
  current: number;
}

function AskForRollback(props: VersionRollbackProps & { onClose: () => void }) {
  const { datasetId, version, current, onClose } = props;
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

/** Tells the buttons of rows apart. */
const Unseen = ({ children }: { children: string }) => (
  <span className="visually-hidden">{children}</span>
);

/** Takes a dataset back to a version; nothing where that is the current one. */
export function VersionRollback(props: VersionRollbackProps & { isRow?: boolean }) {
  const { isRow, ...asked } = props;
  const [isAsked, setIsAsked] = useState(false);
  if (props.current <= props.version || props.version < 1) return null;
  return (
    <>
      <Button onClick={() => setIsAsked(true)}>
        {isRow ? (
          <>
            Roll back… <Unseen>{`${props.datasetId} to version ${props.version}`}</Unseen>
          </>
        ) : (
          `Roll back to version ${props.version}…`
        )}
      </Button>
      {isAsked && <AskForRollback {...asked} onClose={() => setIsAsked(false)} />}
    </>
  );
}

/** Nothing where no rows of the publication stand. */
export function PublicationRollback({ of, isRow }: { of: PublicationSummary; isRow?: boolean }) {
  const [isAsked, setIsAsked] = useState(false);
  const { publication_id: id } = of;
  if (!canRollBack(of)) return null;
  return (
    <>
      <Button onClick={() => setIsAsked(true)}>
        Roll back… {isRow && <Unseen>{`publication ${id}`}</Unseen>}
      </Button>
      {isAsked && (
        <RollbackDialog
          title={`Roll back publication ${id}?`}
          sentences={rollbackSentences(of)}
          target={{ publication_id: id }}
          done={`Publication ${id} was rolled back`}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  );
}
