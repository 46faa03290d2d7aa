import { useQuery } from '@tanstack/react-query';
import type { Pruning } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { useToasts } from '../ui/toasts';
import { LossDialog } from './loss-dialog';
import { pruningSentences } from './pruning-text';
import { PUBLISHED_QUERIES, pruningQuery } from './queries';

const LOSS = 'These versions can no longer be read or rolled back to. This cannot be undone.';

/** Shows which versions retention does not keep, and drops them. */
export function PruneDialog({ onClose }: { onClose: () => void }) {
  const toasts = useToasts();
  const planned = useQuery(pruningQuery);
  const prune = useChange({
    send: () => postJson<Pruning>('/admin/publications/prune', {}),
    touches: PUBLISHED_QUERIES,
    onDone: () => {
      toasts.add({ title: 'The versions were pruned' });
      onClose();
    },
  });
  const isReady = planned.data !== undefined && planned.data.datasets.length > 0;
  return (
    <LossDialog
      title="Prune earlier versions?"
      description={isReady ? LOSS : null}
      cancelLabel={planned.data && !isReady ? 'Close' : 'Cancel'}
      sentences={
        planned.data ? pruningSentences(planned.data) : ['Checking what would be removed…']
      }
      confirmLabel={isReady ? 'Prune' : null}
      isBusy={prune.isPending}
      error={(planned.error ?? prune.error)?.message}
      onConfirm={() => prune.mutate(undefined)}
      onCancel={onClose}
    />
  );
}
