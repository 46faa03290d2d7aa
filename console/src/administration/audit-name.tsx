import { Link } from '@tanstack/react-router';
import { identityIdOf } from './audit-identity';

/** An actor or a target as the log names it; one of an identity leads to its screen. */
export function AuditName({ name }: { name: string }) {
  const identityId = identityIdOf(name);
  if (identityId === null) return <code>{name}</code>;
  return (
    <Link to="/identities/$identityId" params={{ identityId }}>
      <code>{name}</code>
    </Link>
  );
}
