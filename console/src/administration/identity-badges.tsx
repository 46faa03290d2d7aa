import type { AdministeredIdentity } from '@ticklake/client';
import { Badge, type BadgeKind } from '../ui/badge';

const STATUSES: Readonly<
  Record<AdministeredIdentity['status'], { kind: BadgeKind; text: string }>
> = {
  active: { kind: 'good', text: 'active' },
  deactivated: { kind: 'danger', text: 'deactivated' },
  ended: { kind: 'danger', text: 'contract ended' },
};

/** Whether an identity is let in, and whether it administers. */
export function IdentityBadges({ identity }: { identity: AdministeredIdentity }) {
  return (
    <>
      <Badge kind={STATUSES[identity.status].kind}>{STATUSES[identity.status].text}</Badge>{' '}
      {identity.is_admin && <Badge kind="warning">administrator</Badge>}
    </>
  );
}
