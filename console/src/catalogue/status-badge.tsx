import type { StatusCode } from '@ticklake/client';
import { Badge, type BadgeKind } from '../ui/texts';

const KINDS: Readonly<Record<StatusCode, BadgeKind>> = {
  current: 'good',
  updating: 'warning',
  late: 'warning',
  failed: 'danger',
  closed: 'quiet',
  empty: 'quiet',
};

export function StatusBadge({ code }: { code: StatusCode }) {
  return <Badge kind={KINDS[code]}>{code}</Badge>;
}

export function AccessBadge({ isEntitled }: { isEntitled: boolean }) {
  return isEntitled ? <Badge kind="good">Access</Badge> : <Badge kind="quiet">No access</Badge>;
}
