import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { datasetCoverageQuery, datasetInfoQuery, datasetStatusQuery } from '../api/queries';
import { DAY_STATE_MARKS, dayText, monthsOf } from '../catalogue/calendar-months';
import dayStates from '../catalogue/day-states.module.css';
import { MonthTable } from '../catalogue/month-table';
import { addDays, dateOf } from '../format/dates';
import { Button } from '../ui/button';
import { isWholeDate } from '../ui/date-field';
import { Loaded } from '../ui/page';
import { useSettled } from './query-hooks';
import styles from './trading-days.module.css';

/** Who turns past a year does not ask for it: its days count as scanned. */
const YEAR_SETTLE_MS = 300;
/** Days that a key moves by. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
  PageUp: -28,
  PageDown: 28,
};

interface MonthProps {
  datasetId: string;
  /** The day that the keyboard is at; its month is shown. */
  day: string;
  chosen: string;
  first: string;
  last: string;
  onDay: (day: string) => void;
  onChoose: (day: string) => void;
}

/** A month, each day with what is there of it. */
function Month({ datasetId, day, chosen, first, last, onDay, onChoose }: MonthProps) {
  const year = Number(day.slice(0, 4));
  const query = useQuery(datasetCoverageQuery(datasetId, useSettled(year, YEAR_SETTLE_MS)));
  const { name, weeks } = monthsOf(year)[Number(day.slice(5, 7)) - 1]!;
  const days = new Map(query.data?.days.map((each) => [each.date, each]));
  const grid = useRef<HTMLTableElement>(null);
  const focusDay = () => grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  useEffect(focusDay, []);
  const within = (date: string) => (date < first ? first : date > last ? last : date);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    flushSync(() => onDay(within(addDays(day, step))));
    focusDay();
  };
  const turn = (step: number) => () => onDay(within(addDays(`${day.slice(0, 7)}-15`, step * 30)));
  const cell = (date: string) => {
    const known = days.get(date);
    const state = known?.state ?? null;
    const number = Number(date.slice(8));
    return (
      <td key={date}>
        <button
          type="button"
          className={`${styles.day} ${known ? dayStates[state ?? 'unknown'] : ''}`}
          aria-label={`${number}, ${known ? dayText(known) : date}`}
          aria-pressed={date === chosen}
          tabIndex={date === day ? 0 : -1}
          disabled={date < first || date > last}
          onClick={() => onChoose(date)}
        >
          {number}
          {state && <span aria-hidden>{DAY_STATE_MARKS[state]}</span>}
        </button>
      </td>
    );
  };
  return (
    <>
      <div className={styles.head}>
        <Button icon={ChevronLeft} kind="quiet" aria-label="Month before" onClick={turn(-1)} />
        <strong aria-live="polite">{name}</strong>
        <Button icon={ChevronRight} kind="quiet" aria-label="Month after" onClick={turn(1)} />
      </div>
      <MonthTable ref={grid} className={styles.month} {...{ onKeyDown, weeks, cell }} />
      {query.isError && (
        <Loaded {...{ query }} what="what there is of each day">
          {() => null}
        </Loaded>
      )}
    </>
  );
}

interface TradingDaysProps {
  datasetId: string;
  value: string;
  /** Whichever day is the last one when rows are read. */
  hasLatest: boolean;
  onChoose: (date: string) => void;
}

/** The days of a dataset to choose one from; those that lack rows are marked. */
export default function TradingDays({ datasetId, value, hasLatest, onChoose }: TradingDaysProps) {
  const status = useQuery(datasetStatusQuery(datasetId));
  const info = useQuery(datasetInfoQuery(datasetId));
  const [moved, setMoved] = useState('');
  return (
    <Loaded query={info} what="the days">
      {({ start_date: first }) => (
        <Loaded query={status} what="the days">
          {({ last_trade_date }) => {
            const last = last_trade_date ?? dateOf(Date.now());
            const chosen = value !== '' && isWholeDate(value) ? value : last;
            return (
              <>
                <Month
                  {...{ datasetId, chosen, first, last, onChoose }}
                  day={moved || (chosen < first || chosen > last ? last : chosen)}
                  onDay={setMoved}
                />
                <p className={styles.legend}>Green: rows. Grey: no trading day. ×: missing.</p>
                <Button onClick={() => onChoose(hasLatest ? 'latest' : last)}>
                  {hasLatest ? 'Always the latest day' : 'Latest day'} ({last})
                </Button>
              </>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}
