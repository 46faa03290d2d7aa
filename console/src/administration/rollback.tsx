import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { PublicationRecord, PublicationSummary } from '@ticklake/client';
import { Undo2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
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
import { PUBLISHED_QUERIES, publicationsQuery, versionDiffQuery } from './queries';

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

interface VersionTarget {
  readonly datasetId: string;
  readonly version: number;
  readonly current: number;
}

function VersionDialog(props: VersionTarget & { onClose: () => void }) {
  const { datasetId, version, current, onClose } = props;
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
      onClose={onClose}
    />
  );
}

export type Ask = (target: VersionTarget | PublicationSummary) => void;

/**
 * Asks about what was clicked as it was then: lists that offer it are read again, and lose rows,
 * while somebody decides. The dialog stands beside such a list.
 */
export function useRollback(): readonly [ask: Ask, dialog: ReactNode] {
  const [target, ask] = useState<VersionTarget | PublicationSummary | null>(null);
  const onClose = () => ask(null);
  if (target === null) return [ask, null];
  if ('datasetId' in target) return [ask, <VersionDialog {...target} {...{ onClose }} />];
  const { publication_id: id } = target;
  return [
    ask,
    <RollbackDialog
      title={`Roll back publication ${id}?`}
      sentences={rollbackSentences(target)}
      target={{ publication_id: id }}
      done={`Publication ${id} was rolled back`}
      onClose={onClose}
    />,
  ];
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
export function VersionRollback(props: VersionTarget & { isRow?: boolean; ask: Ask }) {
  const { isRow, ask, ...target } = props;
  const { datasetId, version, current } = target;
  if (current <= version || version < 1) return null;
  const onClick = () => ask(target);
  if (isRow) return <RollbackButton of={`${datasetId} to version ${version}`} onClick={onClick} />;
  return <Button onClick={onClick}>Roll back to version {version}…</Button>;
}

/** Nothing where no rows of the publication stand. */
export function PublicationRollback({ of, ask }: { of: PublicationSummary; ask: Ask }) {
  if (!canRollBack(of)) return null;
  return <RollbackButton of={`publication ${of.publication_id}`} onClick={() => ask(of)} />;
}
