import { Link } from '@tanstack/react-router';
import styles from './audit-name.module.css';
import { auditReference } from './audit-reference';
import { useIdentityNames } from './use-identity-names';
import { usePersonEmail } from './use-person-email';

interface NameProps {
  name: string;
  id: number;
  subject: string;
}

function IdentityName({ name, id }: NameProps) {
  const nameOf = useIdentityNames();
  return (
    <>
      <Link to="/identities/$identityId" params={{ identityId: String(id) }}>
        <code>{name}</code>
      </Link>{' '}
      <span className={styles.called}>{nameOf(id)}</span>
    </>
  );
}

function PersonName({ name, id, subject }: NameProps) {
  const email = usePersonEmail(id) ?? subject;
  return (
    <>
      <code>{name}</code> <span className={styles.called}>{email}</span>
    </>
  );
}

interface AuditNameProps {
  name: string;
  /** The name in the entry; '' if it has none. */
  subject?: string;
}

/** An actor or a target as the log names it, and what it is called today where that is known. */
export function AuditName({ name, subject = '' }: AuditNameProps) {
  const reference = auditReference(name);
  if (reference?.kind === 'identity') {
    return <IdentityName name={name} id={reference.id} subject={subject} />;
  }
  if (reference?.kind === 'person') {
    return <PersonName name={name} id={reference.id} subject={subject} />;
  }
  return (
    <>
      <code>{name}</code> <span className={styles.called}>{subject}</span>
    </>
  );
}
