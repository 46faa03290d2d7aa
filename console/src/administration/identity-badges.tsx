import type { AdministeredIdentity } from '@ticklake/client';
import { Badge } from '../ui/badge';

/** Whether an identity is let in, and whether it administers. */
export function IdentityBadges({ identity }: { identity: AdministeredIdentity }) {
  return (
    <>
      {identity.is_active ? (
        <Badge kind="good">active</Badge>
      ) : (
        <Badge kind="danger">deactivated</Badge>
      )}{' '}
      {identity.is_admin && <Badge kind="warning">administrator</Badge>}
    </>
  );
}
