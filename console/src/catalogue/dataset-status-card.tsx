import { useQuery } from '@tanstack/react-query';
import type { DatasetStatus } from '@ticklake/client';
import { datasetStatusQuery } from '../api/queries';
import { countText } from '../format/amounts';
import { isScheduled } from '../format/coverage';
import { Facts } from '../ui/facts';
import { Loaded } from '../ui/loading';
import { MomentText } from '../ui/moment-text';
import { Card } from '../ui/page';
import { StatusBadge } from './status-badge';

const REFRESH_MS = 30_000;

function StatusFacts({ status }: { status: DatasetStatus }) {
  return (
    <Facts
      facts={[
        { name: 'Status', value: <StatusBadge code={status.status_code} /> },
        { name: 'Last update', value: <MomentText time={status.last_update} isShort /> },
        { name: 'Next update', value: <MomentText time={status.next_expected_update} isShort /> },
        {
          name: isScheduled(status.last_trade_date, Date.now())
            ? 'Scheduled to'
            : 'Last trade date',
          value: status.last_trade_date ?? '–',
        },
        { name: 'Version', value: countText(status.version) },
        { name: 'Rows', value: status.row_count === null ? '–' : countText(status.row_count) },
      ]}
    />
  );
}

function LoadedStatus({ datasetId }: { datasetId: string }) {
  const status = useQuery({ ...datasetStatusQuery(datasetId), refetchInterval: REFRESH_MS });
  return (
    <Loaded query={status} what="the status">
      {(loaded) => <StatusFacts status={loaded} />}
    </Loaded>
  );
}

/** When a dataset was updated and will be; only those who may read it are told. */
export function DatasetStatusCard(props: { datasetId: string; isEntitled: boolean }) {
  return (
    <Card title="Status">
      {props.isEntitled ? (
        <LoadedStatus datasetId={props.datasetId} />
      ) : (
        <p>Only shown to accounts that can read this dataset.</p>
      )}
    </Card>
  );
}
