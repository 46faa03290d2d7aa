import { useQuery } from '@tanstack/react-query';
import { openAccessRequestsQuery } from '../api/queries';
import { plural } from '../format/amounts';
import styles from './open-request-count.module.css';

const REFRESH_MS = 60_000;

/** How many requests for access wait for an owner; nothing where none does. */
export function OpenRequestCount() {
  const { data } = useQuery({ ...openAccessRequestsQuery, refetchInterval: REFRESH_MS });
  const count = data?.data.length ?? 0;
  if (count === 0) return null;
  return (
    <span className={styles.count}>
      <span aria-hidden>{count}</span>
      <span className="visually-hidden">({plural(count, 'open request')})</span>
    </span>
  );
}
