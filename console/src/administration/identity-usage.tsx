import { useQuery } from '@tanstack/react-query';
import { MonthUsage } from '../overview/month-usage';
import { Loaded } from '../ui/loading';
import { identityKeysQuery, identityUsageQuery } from './queries';

const REFRESH_MS = 30_000;

/** Usage of an account in the current month. */
export function IdentityUsage({ identityId }: { identityId: number }) {
  const usage = useQuery({ ...identityUsageQuery(identityId), refetchInterval: REFRESH_MS });
  const keys = useQuery(identityKeysQuery(identityId));
  return (
    <Loaded query={usage} what="usage">
      {(data) => <MonthUsage usage={data} keys={keys.data} />}
    </Loaded>
  );
}
