import { useQuery } from '@tanstack/react-query';
import { alertsQuery } from '../alerts/alerts-query';
import { openAccessRequestsQuery } from '../api/queries';
import { plural } from '../format/amounts';
import styles from './entry-count.module.css';
import type { NavigationEntry } from './navigation';

const REFRESH_MS = 60_000;

/** Nothing where there is nothing. */
function Count({ count, noun }: { count: number; noun: string }) {
  if (count === 0) return null;
  return (
    <span className={styles.count}>
      <span aria-hidden>{count}</span>
      <span className="visually-hidden">({plural(count, noun)})</span>
    </span>
  );
}

function OpenRequestCount() {
  const { data } = useQuery({ ...openAccessRequestsQuery, refetchInterval: REFRESH_MS });
  return <Count count={data?.data.length ?? 0} noun="open request" />;
}

function AlertCount() {
  const { data } = useQuery(alertsQuery);
  return <Count count={data?.length ?? 0} noun="alert" />;
}

const COUNTS: Readonly<Partial<Record<NavigationEntry['to'], () => React.ReactNode>>> = {
  '/access-requests': OpenRequestCount,
  '/alerts': AlertCount,
};

/** How much waits for an owner behind an entry of the navigation. */
export function EntryCount({ to }: Pick<NavigationEntry, 'to'>) {
  const Shown = COUNTS[to];
  return Shown ? <Shown /> : null;
}
