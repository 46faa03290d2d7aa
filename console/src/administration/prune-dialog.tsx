import { useQuery } from '@tanstack/react-query';
import type { Pruning } from '@ticklake/client';
import { postJson } from '../api/client';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { useChange } from '../ui/use-change';
import { pruningSentences } from './pruning-text';
import { PUBLISHED_QUERIES, pruningQuery } from './queries';

const LOSS = 'These versions can no longer be read or rolled back to. This cannot be undone.';

/** Shows which versions retention does not keep, and drops them. */
export function PruneDialog({ onClose }: { onClose: () => void }) {
  const planned = useQuery(pruningQuery);
  const prune = useChange({
    send: () => postJson<Pruning>('/admin/publications/prune', {}),
    touches: PUBLISHED_QUERIES,
    done: 'The versions were pruned',
    onDone: onClose,
  });
  const isReady = planned.data !== undefined && planned.data.datasets.length > 0;
  return (
    <ConfirmDialog
      isOpen
      title="Prune earlier versions?"
      description={isReady ? LOSS : null}
      cancelLabel={planned.data && !isReady ? 'Close' : 'Cancel'}
      sentences={
        planned.data ? pruningSentences(planned.data) : ['Checking what would be removed…']
      }
      confirmLabel={isReady ? 'Prune' : null}
      isDangerous
      isBusy={prune.isPending}
      error={(planned.error ?? prune.error)?.message}
      onConfirm={() => prune.mutate(undefined)}
      onClose={onClose}
    />
  );
}
