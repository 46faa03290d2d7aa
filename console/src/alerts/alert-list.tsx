import { Link } from '@tanstack/react-router';
import { plural } from '../format/amounts';
import { utcMinuteText } from '../format/times';
import { Badge } from '../ui/badge';
import styles from './alert-list.module.css';
import type { Alert } from './alerts-query';

const BADGES = { critical: 'danger', warning: 'warning' } as const;

/** Where somebody can do something about it; nothing where that is not in the console. */
function Way({
  alert: { kind, dataset_id: datasetId, identity_id: identityId },
}: {
  alert: Alert;
}) {
  if (datasetId !== null) {
    const isFailed = kind === 'dataset_failed' || kind === 'load_refused';
    return isFailed ? (
      <Link to="/publications/history" search={{ dataset: datasetId }}>
        See publications
      </Link>
    ) : (
      <Link to="/coverage">Coverage</Link>
    );
  }
  if (identityId === null) return null;
  return (
    <Link
      to="/identities/$identityId"
      params={{ identityId: String(identityId) }}
      search={{ tab: 'limits' }}
    >
      See limits
    </Link>
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

/** The critical ones first. */
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
