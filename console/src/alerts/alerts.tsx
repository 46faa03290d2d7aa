import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { type Alert, alertsQuery } from '../api/queries';
import { plural, utcMinuteText } from '../format/texts';
import { useSession } from '../session/session';
import { AccountLink } from '../ui/links';
import { Card, EmptyState, Page, Query } from '../ui/page';
import { Badge } from '../ui/texts';
import styles from './alert-list.module.css';

const BADGES = { critical: 'danger', warning: 'warning' } as const;

/** Leads to the screen that can help; nothing where the console has none. */
function Way({ alert: { kind, dataset_id: datasetId, identity_id: accountId } }: { alert: Alert }) {
  if (['dataset_failed', 'load_refused', 'load_warned'].includes(kind)) {
    return (
      <Link to="/publications/history" search={datasetId === null ? {} : { dataset: datasetId }}>
        See publications
      </Link>
    );
  }
  if (datasetId !== null) return <Link to="/coverage">Coverage</Link>;
  if (accountId === null) return null;
  return (
    <AccountLink id={accountId} tab="limits">
      See limits
    </AccountLink>
  );
}

/** `2 critical, 1 warning`. */
export function alertSummary(alerts: readonly Alert[]): string {
  const critical = alerts.filter(({ severity }) => severity === 'critical').length;
  const warnings = alerts.length - critical;
  return [critical > 0 && `${critical} critical`, warnings > 0 && plural(warnings, 'warning')]
    .filter((part) => part !== false)
    .join(', ');
}

export function AlertItems({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <ul className={styles.list} aria-label="Alerts">
      {alerts.map((alert) => (
        <li key={`${alert.kind} ${alert.text}`} className={styles.alert}>
          <Badge kind={BADGES[alert.severity]}>{alert.severity}</Badge>
          <span className={styles.text}>
            {alert.text}
            {alert.since !== null && (
              <span className={styles.since}>
                {' '}
                since <time dateTime={alert.since}>{utcMinuteText(alert.since)}</time>
              </span>
            )}
          </span>
          <Way alert={alert} />
        </li>
      ))}
    </ul>
  );
}

const SHOWN_MAX = 5;

export function OwnerAlerts() {
  const isOwner = useSession().person.role === 'owner';
  const { data = [] } = useQuery({ ...alertsQuery, enabled: isOwner });
  if (!isOwner || data.length === 0) return null;
  return (
    <Card title={`Needs your attention: ${alertSummary(data)}`}>
      <AlertItems alerts={data.slice(0, SHOWN_MAX)} />
      {data.length > SHOWN_MAX && (
        <p>
          <Link to="/alerts">All {data.length} alerts</Link>
        </p>
      )}
    </Card>
  );
}

export default function AlertsScreen() {
  return (
    <Page
      title="Alerts"
      description="What needs your attention: failed and late datasets, the service, the disk, backups, and requests that limits refused today. Updates every minute."
    >
      <Query of={alertsQuery} what="alerts">
        {(found) =>
          found.length === 0 ? (
            <EmptyState icon={CircleCheck}>Nothing needs your attention.</EmptyState>
          ) : (
            <Card title={alertSummary(found)}>
              <AlertItems alerts={found} />
            </Card>
          )
        }
      </Query>
    </Page>
  );
}
