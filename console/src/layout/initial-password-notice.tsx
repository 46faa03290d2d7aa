import { Link } from '@tanstack/react-router';
import { useSession } from '../session/use-session';
import { useDismissed } from '../ui/dismissed';
import { Notice } from '../ui/notice';
import styles from './initial-password-notice.module.css';

/** Shown on every screen until it is dismissed, or the person has a password that nobody else has seen. */
export function InitialPasswordNotice() {
  const { person } = useSession();
  const [isDismissed, dismiss] = useDismissed(`initial-password-${person.person_id}`);
  if (!person.is_password_initial || isDismissed) return null;
  return (
    <div className={styles.place}>
      <Notice kind="info" onDismiss={dismiss}>
        You are still using your initial password. <Link to="/profile">Change it</Link> to one that
        only you know.
      </Notice>
    </div>
  );
}
