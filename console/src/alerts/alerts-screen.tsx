import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { EmptyState } from '../ui/empty-state';
import { Loaded } from '../ui/loading';
import { Card, Page } from '../ui/page';
import { AlertItems, alertSummary } from './alert-list';
import { alertsQuery } from './alerts-query';

/** Everything that needs an owner now. */
export function AlertsScreen() {
  const alerts = useQuery(alertsQuery);
  return (
    <Page
      title="Alerts"
      description="What needs your attention: failed and late datasets, the service, the disk, backups, and requests that limits refused today. Updates every minute."
    >
      <Loaded query={alerts} what="alerts">
        {(found) =>
          found.length === 0 ? (
            <EmptyState icon={CircleCheck}>Nothing needs your attention.</EmptyState>
          ) : (
            <Card title={alertSummary(found)}>
              <AlertItems alerts={found} />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}
