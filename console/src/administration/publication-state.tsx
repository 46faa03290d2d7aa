import type { PublicationSummary } from '@ticklake/client';
import { Badge, type BadgeKind } from '../ui/badge';
import { STATE_LABELS } from './history-filter';

const KINDS: Readonly<Record<PublicationSummary['state'], BadgeKind>> = {
  running: 'warning',
  published: 'good',
  unchanged: 'quiet',
  refused: 'danger',
  failed: 'danger',
  rolled_back: 'quiet',
};

/** How a publication stands. */
export function PublicationState({ of }: { of: Pick<PublicationSummary, 'state' | 'is_open'> }) {
  return <Badge kind={KINDS[of.state]}>{STATE_LABELS[of.is_open ? 'open' : of.state]}</Badge>;
}
