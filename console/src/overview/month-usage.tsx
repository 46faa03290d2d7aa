import { useQuery } from '@tanstack/react-query';
import type { ApiKey, Usage } from '@ticklake/client';
import { useState } from 'react';
import { keysQuery, myUsageQuery } from '../api/queries';
import { QUANTITIES, QUANTITY_NAMES, type Quantity } from '../format/quantities';
import { monthText } from '../format/times';
import { ChoiceGroup } from '../ui/choice-group';
import { Disclosure } from '../ui/disclosure';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { BusiestDatasets, BusiestKeys } from './busiest-tables';
import styles from './month-usage.module.css';
import { UsageChart } from './usage-chart';
import { byDay, type DayAmounts, daysOfMonth } from './usage-summary';

const REFRESH_MS = 30_000;

const DAY_COLUMNS: readonly TableColumn<DayAmounts>[] = [
  { header: 'Day (UTC)', cell: ({ day }) => day, isRowHeader: true },
  ...QUANTITY_NAMES.map((quantity) => ({
    header: QUANTITIES[quantity].label,
    cell: (row: DayAmounts) => QUANTITIES[quantity].text(row[quantity]),
    isNumeric: true,
  })),
];

const CHOICES = QUANTITY_NAMES.map((value) => ({ value, label: QUANTITIES[value].label }));

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
  keys: readonly ApiKey[] | undefined;
}

/** Usage of an account in the current month, by day, dataset and key. */
export function MonthUsage({ usage, keys }: MonthUsageProps) {
  const [measure, setMeasure] = useState<Quantity>('requests');
  const days = byDay(usage.data, daysOfMonth(usage.to));
  return (
    <>
      <Card title={`Usage in ${monthText(usage.to)}`}>
        <div>
          <ChoiceGroup
            label="What is counted"
            value={measure}
            choices={CHOICES}
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
