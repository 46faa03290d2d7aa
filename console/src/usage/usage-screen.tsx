import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Usage } from '@ticklake/client';
import { Download } from 'lucide-react';
import { catalogueQuery, keysQuery } from '../api/queries';
import { QUANTITIES, QUANTITY_NAMES } from '../format/quantities';
import { Button } from '../ui/button';
import { Facts } from '../ui/facts';
import { Loaded } from '../ui/loading';
import { Card, Page } from '../ui/page';
import { saveBlob } from '../ui/save-file';
import { PeriodFields } from './period-fields';
import { RequestTable } from './request-table';
import { type UsageNames, usageCsv } from './usage-csv';
import { periodProblem } from './usage-period';
import { usageQuery } from './usage-queries';
import { UsageTable } from './usage-table';

/** The names of datasets and keys; their ids, where nobody has the names any more. */
function useUsageNames(): UsageNames {
  const catalogue = useQuery(catalogueQuery);
  const keys = useQuery(keysQuery);
  return {
    datasetOf: (id) =>
      catalogue.data?.find(({ dataset_id }) => dataset_id === id)?.dataset_name ?? id,
    keyOf: (id) => keys.data?.find(({ key_id }) => key_id === id)?.name ?? `Key ${id} (deleted)`,
  };
}

function PeriodUsage({ usage, names }: { usage: Usage; names: UsageNames }) {
  const save = () =>
    saveBlob(
      new Blob([usageCsv(usage, names)], { type: 'text/csv;charset=utf-8' }),
      `usage_${usage.from}_${usage.to}.csv`,
    );
  return (
    <Card
      title={`${usage.from} to ${usage.to}`}
      actions={
        <Button onClick={save}>
          <Download size={16} aria-hidden />
          Download CSV
        </Button>
      }
    >
      <Facts
        facts={QUANTITY_NAMES.map((quantity) => ({
          name: QUANTITIES[quantity].label,
          value: QUANTITIES[quantity].text(usage.total[quantity]),
        }))}
      />
      <UsageTable usage={usage} names={names} />
    </Card>
  );
}

/** What the account used in any period, and its latest requests. */
export function UsageScreen() {
  const period = useSearch({ from: '/signed-in/account/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const isUsable = periodProblem(period) === '';
  const usage = useQuery({ ...usageQuery(period), enabled: isUsable });
  const names = useUsageNames();
  return (
    <Page
      title="Usage"
      description="What this account used, by day, dataset and key, and what each request cost. Days are in UTC."
    >
      <PeriodFields
        period={period}
        onPeriodChange={(search) => void navigate({ search, replace: true, resetScroll: false })}
      />
      {isUsable && (
        <Loaded query={usage} what="usage">
          {(data) => <PeriodUsage usage={data} names={names} />}
        </Loaded>
      )}
      <RequestTable names={names} />
    </Page>
  );
}
