import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApiKey, Usage, UsageOfDay } from '@ticklake/client';
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { catalogueQuery, keysQuery, myUsageQuery } from '../api/queries';
import { monthText, QUANTITIES, QUANTITY_NAMES, type Quantity } from '../format/texts';
import { KeyEnd } from '../keys/key-texts';
import { ChoiceGroup } from '../ui/choice-group';
import { Disclosure } from '../ui/disclosure';
import { Card, Query } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import styles from './busiest-tables.module.css';
import {
  axisTicks,
  busiest,
  byDay,
  type DayAmounts,
  daysOfMonth,
  labelStep,
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
    <Table
      caption={caption}
      columns={columns}
      rows={busiest(rows, keyOf, measure, SHOWN_MAX)}
      rowKey={({ key }) => String(key)}
      empty="Nothing used this month yet."
    />
  );
}

interface BusiestOf {
  rows: readonly UsageOfDay[];
  measure: Quantity;
}

function BusiestDatasets({ rows, measure }: BusiestOf) {
  const { data: catalogue = [] } = useQuery(catalogueQuery);
  const name = (datasetId: string | null) => {
    if (datasetId === null) return 'No dataset';
    const row = catalogue.find((one) => one.dataset_id === datasetId);
    if (row === undefined) return datasetId;
    return (
      <Link to="/catalogue/$datasetId" params={{ datasetId }}>
        {row.dataset_name}
      </Link>
    );
  };
  return (
    <BusiestTable
      caption="Busiest datasets"
      header="Dataset"
      rows={rows}
      keyOf={({ dataset_id }) => dataset_id}
      measure={measure}
      name={name}
    />
  );
}

interface BusiestKeysProps extends BusiestOf {
  /** Without deleted ones; undefined while they are not known. */
  keys: readonly ApiKey[] | undefined;
}

function BusiestKeys({ rows, measure, keys }: BusiestKeysProps) {
  const name = (keyId: number | null) => {
    if (keyId === null) return 'The console';
    const key = keys?.find((one) => one.key_id === keyId);
    if (key === undefined) return `Key ${keyId}${keys ? ' (deleted)' : ''}`;
    return (
      <>
        {key.name} <KeyEnd apiKey={key} />
      </>
    );
  };
  return (
    <BusiestTable
      caption="Busiest keys"
      header="Key"
      rows={rows}
      keyOf={({ key_id }) => key_id}
      measure={measure}
      name={name}
    />
  );
}

/** The width of an element in CSS pixels, kept up to date; 0 before it is known. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

const HEIGHT = 220;
const TOP = 10;
const BOTTOM = 24;
const LEFT = 60;
const LABEL_WIDTH = 30;
const BAR_PART = 0.72;

interface Bar {
  readonly day: string;
  readonly amount: number;
}

interface Layout {
  readonly width: number;
  readonly slotWidth: number;
  readonly ticks: readonly number[];
  readonly y: (amount: number) => number;
}

function layoutOf(bars: readonly Bar[], width: number): Layout {
  const ticks = axisTicks(Math.max(...bars.map(({ amount }) => amount)));
  const top = ticks.at(-1) ?? 1;
  const plotHeight = HEIGHT - TOP - BOTTOM;
  return {
    width,
    slotWidth: Math.max(width - LEFT, 0) / bars.length,
    ticks,
    y: (amount) => TOP + plotHeight * (1 - amount / top),
  };
}

function Axis({ layout, measure }: { layout: Layout; measure: Quantity }) {
  const { text } = QUANTITIES[measure];
  return layout.ticks.map((tick) => (
    <g key={tick}>
      <line
        className={styles.grid}
        x1={LEFT}
        x2={layout.width}
        y1={layout.y(tick)}
        y2={layout.y(tick)}
      />
      <text className={styles.tick} x={LEFT - 8} y={layout.y(tick) + 4} textAnchor="end">
        {text(tick)}
      </text>
    </g>
  ));
}

interface BarsProps {
  bars: readonly Bar[];
  layout: Layout;
  onPoint: (bar: Bar | null) => void;
}

function Bars({ bars, layout, onPoint }: BarsProps) {
  const { slotWidth, y } = layout;
  const step = labelStep(slotWidth, LABEL_WIDTH);
  return bars.map((bar, at) => {
    const x = LEFT + at * slotWidth;
    const number = at + 1;
    return (
      <g key={bar.day} className={styles.slot} onPointerEnter={() => onPoint(bar)}>
        <rect className={styles.hit} x={x} y={TOP} width={slotWidth} height={HEIGHT - TOP} />
        {bar.amount > 0 && (
          <rect
            className={styles.bar}
            x={x + (slotWidth * (1 - BAR_PART)) / 2}
            y={Math.min(y(bar.amount), y(0) - 2)}
            width={slotWidth * BAR_PART}
            height={Math.max(y(0) - y(bar.amount), 2)}
          />
        )}
        {at % step === 0 && (
          <text className={styles.tick} x={x + slotWidth / 2} y={HEIGHT - 6} textAnchor="middle">
            {number}
          </text>
        )}
      </g>
    );
  });
}

/** In words what the bars show: for who cannot see them. */
function description(bars: readonly Bar[], measure: Quantity): string {
  const total = bars.reduce((sum, { amount }) => sum + amount, 0);
  const most = bars.reduce((best, bar) => (bar.amount > best.amount ? bar : best));
  const all = `${QUANTITIES[measure].longText(total)} this month`;
  if (total === 0) return all;
  return `${all}. Busiest day: ${most.day}, ${QUANTITIES[measure].longText(most.amount)}.`;
}

/** One bar for each day of a month; what is pointed at is told below. */
function UsageChart({ days, measure }: { days: readonly DayAmounts[]; measure: Quantity }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [pointed, setPointed] = useState<string | null>(null);
  const bars = days.map((amounts) => ({ day: amounts.day, amount: amounts[measure] }));
  const layout = layoutOf(bars, width);
  const bar = bars.find(({ day }) => day === pointed);
  const text = description(bars, measure);
  return (
    <div ref={frame} className={styles.frame}>
      {width > 0 && (
        <svg
          role="img"
          aria-label={text}
          width={width}
          height={HEIGHT}
          onPointerLeave={() => setPointed(null)}
        >
          <Axis layout={layout} measure={measure} />
          <Bars bars={bars} layout={layout} onPoint={(next) => setPointed(next?.day ?? null)} />
        </svg>
      )}
      <p className={styles.readout} aria-hidden>
        {bar ? `${bar.day}: ${QUANTITIES[measure].longText(bar.amount)}` : text}
      </p>
    </div>
  );
}

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

export function MonthUsage({ usage, keys }: { usage: Usage; keys: readonly ApiKey[] | undefined }) {
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

export function OwnMonthUsage() {
  const keys = useQuery(keysQuery);
  return (
    <Query of={{ ...myUsageQuery, refetchInterval: REFRESH_MS }} what="usage">
      {(data) => <MonthUsage usage={data} keys={keys.data} />}
    </Query>
  );
}
