import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { PublicationRecord, PublicationSummary } from '@ticklake/client';
import { Undo2 } from 'lucide-react';
import { postJson } from '../api/client';
import { Button } from '../ui/button';
import { Sentences } from '../ui/dialog';
import { TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { showDialog } from '../ui/open-dialog';
import { useChangeForm } from '../ui/use-form';
import {
  canRollBack,
  reasonProblem,
  rollbackSentences,
  versionSentences,
} from './publication-text';
import { PUBLISHED_QUERIES, publicationsQuery, versionDiffQuery } from './queries';

interface RollbackDialogProps {
  title: string;
  sentences: readonly string[];
  isReady?: boolean;
  target: Readonly<Record<string, string | number>>;
  done: string;
}

function RollbackDialog(props: RollbackDialogProps) {
  const { title, sentences, isReady = true, target, done } = props;
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
    >
      <TextField
        label="Reason"
        description="Optional. Kept in the ledger."
        {...form.field('reason')}
      />
    </FormDialog>
  );
}

interface VersionTarget {
  readonly datasetId: string;
  readonly version: number;
  readonly current: number;
}

function VersionDialog({ datasetId, version, current }: VersionTarget) {
  const diff = useQuery(versionDiffQuery(datasetId, version, current));
  const { data: datasets } = useQuery(publicationsQuery);
  const newest = datasets?.find(({ dataset_id: id }) => id === datasetId)?.version ?? current;
  const sentences =
    newest === current
      ? diff.data?.datasets.map((each) => versionSentences(each))
      : [`Version ${newest} was published meanwhile, which this would undo, too. Ask again.`];
  return (
    <RollbackDialog
      title={`Roll ${datasetId} back to version ${version}?`}
      sentences={sentences ?? [diff.error?.message ?? 'Checking what would change…']}
      isReady={sentences !== undefined && newest === current}
      target={{ dataset_id: datasetId, to_version: version }}
      done={`${datasetId} is back at version ${version}`}
    />
  );
}

/** The rest of the name, which is not shown, tells the buttons of rows apart. */
function RollbackButton({ of, onClick }: { of: string; onClick: () => void }) {
  return (
    <Button icon={Undo2} onClick={onClick}>
      <span>Roll back…</span> <span className="visually-hidden">{of}</span>
    </Button>
  );
}

/** Takes a dataset back to a version; nothing where that is the current one. */
export function VersionRollback({ isRow, ...target }: VersionTarget & { isRow?: boolean }) {
  const { datasetId, version, current } = target;
  if (current <= version || version < 1) return null;
  const onClick = () => showDialog(<VersionDialog {...target} />);
  if (isRow) return <RollbackButton of={`${datasetId} to version ${version}`} onClick={onClick} />;
  return <Button onClick={onClick}>Roll back to version {version}…</Button>;
}

/** Nothing where no rows of the publication stand. */
export function PublicationRollback({ of }: { of: PublicationSummary }) {
  const { publication_id: id } = of;
  if (!canRollBack(of)) return null;
  // Keeps what was clicked as it was then, while lists are read again.
  const dialog = (
    <RollbackDialog
      title={`Roll back publication ${id}?`}
      sentences={rollbackSentences(of)}
      target={{ publication_id: id }}
      done={`Publication ${id} was rolled back`}
    />
  );
  return <RollbackButton of={`publication ${id}`} onClick={() => showDialog(dialog)} />;
}
