import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../session/use-session';
import { Card } from '../ui/page';
import { AlertItems, alertSummary } from './alert-list';
import { alertsQuery } from './alerts-query';

const SHOWN_MAX = 5;

/** The first alerts, for an owner who looks at something else; nothing while all is well. */
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
