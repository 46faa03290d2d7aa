import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { ApiKey, Usage, UsageOfDay, UsedAmounts } from '@ticklake/client';
import { type ReactNode, useState } from 'react';
import { catalogueQuery } from '../api/queries';
import { monthText, QUANTITIES, QUANTITY_NAMES, type Quantity } from '../format/texts';
import { KeyEnd } from '../keys/key-texts';
import { ChoiceGroup } from '../ui/choice-group';
import { Disclosure } from '../ui/disclosure';
import { DatasetLink } from '../ui/links';
import { Card, Query } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import styles from './busiest-tables.module.css';
import {
  axisTicks,
  busiest,
  byDay,
  type DayAmounts,
  daysOfMonth,
  type Share,
} from './usage-summary';

const SHOWN_MAX = 5;

interface BusiestProps<Key> {
  caption: string;
  header: string;
  rows: readonly UsageOfDay[];
  keyOf: (row: UsageOfDay) => Key;
  measure: Quantity;
  name: (key: Key) => ReactNode;
}

function shareText(share: number): string {
  return share < 0.005 ? '< 1%' : `${Math.round(share * 100)}%`;
}

function BusiestTable<Key>(props: BusiestProps<Key>) {
  const { caption, header, rows, keyOf, measure, name } = props;
  const { label, text } = QUANTITIES[measure];
  const columns: readonly TableColumn<Share<Key>>[] = [
    {
      header,
      cell: ({ key }) => <span className={styles.name}>{name(key)}</span>,
      isRowHeader: true,
    },
    { header: label, cell: ({ amount }) => text(amount), isNumeric: true },
    { header: 'Share', cell: ({ share }) => shareText(share), isNumeric: true },
  ];
  return (
    <Card title={caption}>
      <Table
        {...{ caption, columns }}
        rows={busiest(rows, keyOf, measure, SHOWN_MAX)}
        rowKey={({ key }) => String(key)}
        empty="Nothing used this month yet."
      />
    </Card>
  );
}

function DatasetName({ id }: { id: string | null }) {
  const { data: catalogue = [] } = useQuery(catalogueQuery);
  if (id === null) return 'No dataset';
  const row = catalogue.find((one) => one.dataset_id === id);
  return row === undefined ? id : <DatasetLink id={id}>{row.dataset_name}</DatasetLink>;
}

/** `keys`: without deleted ones; undefined while they are not known. */
function KeyName({ id, keys }: { id: number | null; keys: readonly ApiKey[] | undefined }) {
  if (id === null) return 'The console';
  const key = keys?.find((one) => one.key_id === id);
  if (key === undefined) return `Key ${id}${keys ? ' (deleted)' : ''}`;
  return (
    <>
      {key.name} <KeyEnd apiKey={key} />
    </>
  );
}

/** In words what the bars show: for who cannot see them. */
function description(days: readonly DayAmounts[], measure: Quantity): string {
  const { longText } = QUANTITIES[measure];
  const total = days.reduce((sum, each) => sum + each[measure], 0);
  const most = days.reduce((best, each) => (each[measure] > best[measure] ? each : best));
  const all = `${longText(total)} this month`;
  return total === 0 ? all : `${all}. Busiest day: ${most.day}, ${longText(most[measure])}.`;
}

/** One bar for each day of a month; what is pointed at is told below. */
function UsageChart({ days, measure }: { days: readonly DayAmounts[]; measure: Quantity }) {
  const [pointed, setPointed] = useState<string | null>(null);
  const { text: amountText, longText } = QUANTITIES[measure];
  const ticks = axisTicks(Math.max(...days.map((each) => each[measure])));
  const heightOf = (amount: number) => `${(100 * amount) / (ticks.at(-1) ?? 1)}%`;
  const shown = days.find(({ day }) => day === pointed);
  const text = description(days, measure);
  return (
    <div>
      <div role="img" aria-label={text} className={styles.chart}>
        <div className={styles.plot} onPointerLeave={() => setPointed(null)}>
          {ticks.map((tick) => (
            <div key={tick} className={styles.tick} style={{ bottom: heightOf(tick) }}>
              <span>{amountText(tick)}</span>
            </div>
          ))}
          {days.map(({ day, [measure]: amount }) => (
            <div key={day} className={styles.day} onPointerEnter={() => setPointed(day)}>
              {amount > 0 && <div className={styles.bar} style={{ height: heightOf(amount) }} />}
              <span className={styles.number}>{Number(day.slice(8))}</span>
            </div>
          ))}
        </div>
      </div>
      <p className={styles.readout} aria-hidden>
        {shown ? `${shown.day}: ${longText(shown[measure])}` : text}
      </p>
    </div>
  );
}

const REFRESH_MS = 30_000;

export const QUANTITY_COLUMNS: readonly TableColumn<UsedAmounts>[] = QUANTITY_NAMES.map(
  (quantity) => ({
    header: QUANTITIES[quantity].label,
    by: quantity,
    isNumeric: true,
    cell: (row) => QUANTITIES[quantity].text(row[quantity]),
  }),
);

const DAY_COLUMNS: readonly TableColumn<DayAmounts>[] = [
  { header: 'Day (UTC)', by: 'day', cell: ({ day }) => day, isRowHeader: true },
  ...QUANTITY_COLUMNS,
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

function MonthUsage({ usage, keys }: { usage: Usage; keys: readonly ApiKey[] | undefined }) {
  const [measure, setMeasure] = useState<Quantity>('requests');
  const days = byDay(usage.data, daysOfMonth(usage.to));
  return (
    <>
      <Card title={`Usage in ${monthText(usage.to)}`}>
        <ChoiceGroup
          label="What is counted"
          value={measure}
          choices={CHOICES}
          onValueChange={setMeasure}
        />
        <UsageChart days={days} measure={measure} />
        <DayTable days={days} />
      </Card>
      <div className={styles.busiest}>
        <BusiestTable
          {...{ rows: usage.data, measure, caption: 'Busiest datasets', header: 'Dataset' }}
          keyOf={({ dataset_id }) => dataset_id}
          name={(id) => <DatasetName id={id} />}
        />
        <BusiestTable
          {...{ rows: usage.data, measure, caption: 'Busiest keys', header: 'Key' }}
          keyOf={({ key_id }) => key_id}
          name={(id) => <KeyName id={id} keys={keys} />}
        />
      </div>
    </>
  );
}

interface MonthUsageProps<Key extends ApiKey> {
  of: UseQueryOptions<Usage>;
  keys: UseQueryOptions<readonly Key[]>;
}

/** The month so far of an account, asked for again and again. */
export function MonthUsageOf<Key extends ApiKey>({ of, keys }: MonthUsageProps<Key>) {
  const { data } = useQuery(keys);
  return (
    <Query of={{ ...of, refetchInterval: REFRESH_MS }} what="usage">
      {(usage) => <MonthUsage usage={usage} keys={data} />}
    </Query>
  );
}
