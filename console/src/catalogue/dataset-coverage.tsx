import type { DatasetInfo, QueryForm } from '@ticklake/client';
import { useState } from 'react';
import { datasetCoverageQuery, datasetStatusQuery } from '../api/queries';
import { dateOf } from '../format/dates';
import { countText, plural } from '../format/texts';
import { Button } from '../ui/button';
import { Card, Notice, Query } from '../ui/page';
import {
  type CalendarMonth,
  type CoveredDay,
  DAY_STATE_LABELS,
  DAY_STATE_MARKS,
  daysAmiss,
  dayText,
  monthsOf,
  stateCounts,
} from './calendar-months';
import styles from './dataset-coverage.module.css';
import { readableYears } from './dataset-text';
import dayStates from './day-states.module.css';

const WEEK_DAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];
const AMISS_SHOWN_MAX = 40;

type DaysByDate = ReadonlyMap<string, CoveredDay>;

function DayCell({ date, day }: { date: string | null; day: CoveredDay | undefined }) {
  if (date === null) return <td />;
  const number = Number(date.slice(8));
  if (!day) return <td className={styles.none}>{number}</td>;
  const { state } = day;
  return (
    <td className={`${styles.day} ${dayStates[state ?? 'unknown']}`} title={dayText(day)}>
      {number}
      {state && <span aria-hidden>{DAY_STATE_MARKS[state]}</span>}
      <span className="visually-hidden">{state ? DAY_STATE_LABELS[state] : 'Not known'}</span>
    </td>
  );
}

function Month({ month, days }: { month: CalendarMonth; days: DaysByDate }) {
  return (
    <table className={styles.month}>
      <caption>{month.name}</caption>
      <thead>
        <tr>
          {WEEK_DAYS.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {month.weeks.map((week) => (
          <tr key={week.find((date) => date !== null)}>
            {week.map((date, at) => (
              <DayCell
                key={date ?? `beside ${WEEK_DAYS[at]}`}
                date={date}
                day={date === null ? undefined : days.get(date)}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Legend({ days }: { days: readonly CoveredDay[] }) {
  return (
    <ul className={styles.legend} aria-label="Days by state">
      {stateCounts(days).map(({ state, count }) => (
        <li key={state}>
          <span className={`${styles.swatch} ${dayStates[state]}`} aria-hidden>
            {DAY_STATE_MARKS[state]}
          </span>
          {DAY_STATE_LABELS[state]}: {countText(count)}
        </li>
      ))}
    </ul>
  );
}

function Amiss({ days }: { days: readonly CoveredDay[] }) {
  const amiss = daysAmiss(days);
  if (amiss.length === 0) return null;
  const shown = amiss.slice(0, AMISS_SHOWN_MAX).map(({ date }) => date);
  return (
    <Notice kind="warning" title={plural(amiss.length, 'incomplete day')}>
      {shown.join(', ')}
      {amiss.length > shown.length && ' …'}
    </Notice>
  );
}

function Year({ datasetId, year }: { datasetId: string; year: number }) {
  return (
    <Query of={datasetCoverageQuery(datasetId, year)} what={`the days of ${year}`}>
      {({ days }) => {
        const byDate = new Map(days.map((day) => [day.date, day]));
        return (
          <>
            <Legend days={days} />
            <Amiss days={days} />
            <div className={styles.year}>
              {monthsOf(year).map((month) => (
                <Month key={month.key} month={month} days={byDate} />
              ))}
            </div>
          </>
        );
      }}
    </Query>
  );
}

interface DatasetCoverageProps {
  datasetId: string;
  firstYear: number;
  lastYear: number;
}

function DatasetCoverage({ datasetId, firstYear, lastYear }: DatasetCoverageProps) {
  const [year, setYear] = useState(lastYear);
  return (
    <Card title="Coverage">
      <div className={styles.years}>
        <Button disabled={year <= firstYear} onClick={() => setYear(year - 1)}>
          {year - 1}
        </Button>
        <strong aria-live="polite">{year}</strong>
        <Button disabled={year >= lastYear} onClick={() => setYear(year + 1)}>
          {year + 1}
        </Button>
      </div>
      <Year key={year} datasetId={datasetId} year={year} />
    </Card>
  );
}

export function CoverageOfAccount({ info, shape }: { info: DatasetInfo; shape: QueryForm }) {
  const { dataset_id: datasetId, start_date: first } = info;
  return (
    <Query of={datasetStatusQuery(datasetId)} what="the coverage">
      {({ last_trade_date: last }) => {
        const today = dateOf(Date.now());
        const { firstYear, lastYear } = readableYears(shape.rules, first, last ?? today, today);
        return <DatasetCoverage datasetId={datasetId} firstYear={firstYear} lastYear={lastYear} />;
      }}
    </Query>
  );
}
