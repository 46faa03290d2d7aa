import { Link } from '@tanstack/react-router';
import { EmailText } from '../ui/email-text';
import { auditReference, localActorText } from './audit-reference';
import { useIdentityNames } from './use-identity-names';
import { usePersonEmail } from './use-person-email';

function AccountActor({ id }: { id: number }) {
  const nameOf = useIdentityNames();
  return (
    <Link to="/identities/$identityId" params={{ identityId: String(id) }}>
      {nameOf(id)}
    </Link>
  );
}

function PersonActor({ id }: { id: number }) {
  const email = usePersonEmail(id);
  return email === undefined ? `Person ${id}` : <EmailText email={email} />;
}

/** Who did something, in words: an account, a person, or `root, on the server`. */
export function ActorName({ actor }: { actor: string }) {
  const reference = auditReference(actor);
  if (reference?.kind === 'identity') return <AccountActor id={reference.id} />;
  if (reference?.kind === 'person') return <PersonActor id={reference.id} />;
  return localActorText(actor) ?? actor;
}
