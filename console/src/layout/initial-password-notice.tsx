import { Link } from '@tanstack/react-router';
import { useSession } from '../session/use-session';
import { Notice } from '../ui/notice';
import styles from './initial-password-notice.module.css';

/** Shown on every screen until the person has a password that nobody else has seen. */
export function InitialPasswordNotice() {
  const { person } = useSession();
  if (!person.is_password_initial) return null;
  return (
    <div className={styles.place}>
      <Notice kind="info">
        You are still using your initial password. <Link to="/profile">Change it</Link> to one that
        only you know.
      </Notice>
    </div>
  );
}
