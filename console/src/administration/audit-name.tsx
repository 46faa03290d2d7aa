import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import styles from './audit-name.module.css';
import { auditReference } from './audit-reference';
import { peopleQuery } from './queries';
import { useIdentityNames } from './use-identity-names';

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
  const { data: people } = useQuery(peopleQuery(null));
  const email = people?.find(({ person_id }) => person_id === id)?.email ?? subject;
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
