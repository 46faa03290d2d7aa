import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keysQuery, myUsageQuery } from '../api/queries';
import type { ApiKeyRecord, Usage } from '../api/records';
import { bytesText, countText } from '../format/amounts';
import { monthText } from '../format/times';
import { ChoiceGroup } from '../ui/choice-group';
import { Disclosure } from '../ui/disclosure';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { BusiestDatasets, BusiestKeys } from './busiest-tables';
import styles from './month-usage.module.css';
import { UsageChart } from './usage-chart';
import { byDay, type DayAmounts, daysOfMonth, MEASURES, type Measure } from './usage-summary';

const REFRESH_MS = 30_000;

const DAY_COLUMNS: readonly TableColumn<DayAmounts>[] = [
  { key: 'day', header: 'Day (UTC)', cell: ({ day }) => day, isRowHeader: true },
  {
    key: 'requests',
    header: 'Requests',
    cell: ({ requests }) => countText(requests),
    isNumeric: true,
  },
  {
    key: 'scanned',
    header: 'Data scanned',
    cell: (row) => bytesText(row.data_scanned),
    isNumeric: true,
  },
  {
    key: 'returned',
    header: 'Data returned',
    cell: (row) => bytesText(row.data_returned),
    isNumeric: true,
  },
];

function DayTable({ days }: { days: readonly DayAmounts[] }) {
  return (
    <Disclosure label="Daily usage as a table">
      <Table
        caption="Usage by day"
        columns={DAY_COLUMNS}
        rows={days.filter(({ requests }) => requests > 0)}
        rowKey={({ day }) => day}
        empty="No requests this month yet."
      />
    </Disclosure>
  );
}

interface MonthUsageProps {
  usage: Usage;
  /** Those of the account that are not deleted; undefined while they are not known. */
  keys: readonly ApiKeyRecord[] | undefined;
}

/** Usage of an account in the current month, by day, dataset and key. */
export function MonthUsage({ usage, keys }: MonthUsageProps) {
  const [measure, setMeasure] = useState<Measure>('requests');
  const days = byDay(usage.data, daysOfMonth(usage.to));
  return (
    <>
      <Card title={`Usage in ${monthText(usage.to)}`}>
        <div>
          <ChoiceGroup
            label="What is counted"
            value={measure}
            choices={MEASURES}
            onValueChange={setMeasure}
          />
        </div>
        <UsageChart days={days} measure={measure} />
        <DayTable days={days} />
      </Card>
      <div className={styles.busiest}>
        <Card title="Busiest datasets">
          <BusiestDatasets rows={usage.data} measure={measure} />
        </Card>
        <Card title="Busiest keys">
          <BusiestKeys rows={usage.data} measure={measure} keys={keys} />
        </Card>
      </div>
    </>
  );
}

/** The same of the person's own account. */
export function OwnMonthUsage() {
  const usage = useQuery({ ...myUsageQuery, refetchInterval: REFRESH_MS });
  const keys = useQuery(keysQuery);
  return (
    <Loaded query={usage} what="usage">
      {(data) => <MonthUsage usage={data} keys={keys.data} />}
    </Loaded>
  );
}
