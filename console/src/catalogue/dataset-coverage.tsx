import type { DatasetInfo, QueryForm } from '@ticklake/client';
import { useState } from 'react';
import { datasetCoverageQuery, datasetStatusQuery } from '../api/queries';
import { dateOf } from '../format/dates';
import { plural, sentenceCase } from '../format/texts';
import { Button } from '../ui/button';
import { Card, Notice, Query } from '../ui/page';
import {
  type CoveredDay,
  DAY_STATE_MARKS,
  dayStateText,
  daysAmiss,
  dayText,
  monthsOf,
  stateCounts,
} from './calendar-months';
import styles from './dataset-coverage.module.css';
import { readableYears } from './dataset-text';
import dayStates from './day-states.module.css';
import { DayStateLegend, MonthTable } from './month-table';

const AMISS_SHOWN_MAX = 40;

function DayCell({ date, day }: { date: string; day: CoveredDay | undefined }) {
  const number = Number(date.slice(8));
  if (!day) return <td className={styles.none}>{number}</td>;
  const { state } = day;
  return (
    <td className={`${styles.day} ${dayStates[state ?? 'unknown']}`} title={dayText(day)}>
      {number}
      {state && <span aria-hidden>{DAY_STATE_MARKS[state]}</span>}
      <span className="visually-hidden">
        {state ? sentenceCase(dayStateText(state)) : 'Not known'}
      </span>
    </td>
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
            <DayStateLegend label="Days by state" entries={stateCounts(days)} />
            <Amiss days={days} />
            <div className={styles.year}>
              {monthsOf(year).map(({ key, name, weeks }) => (
                <MonthTable
                  key={key}
                  className={styles.month}
                  caption={name}
                  weeks={weeks}
                  cell={(date) => <DayCell key={date} date={date} day={byDate.get(date)} />}
                />
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
