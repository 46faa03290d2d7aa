import type { ComponentProps, ReactNode } from 'react';
import { countText, sentenceCase } from '../format/texts';
import {
  type CalendarMonth,
  DAY_STATE_MARKS,
  type DayState,
  dayStateText,
} from './calendar-months';
import styles from './day-states.module.css';

const WEEK_DAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

interface MonthTableProps extends Omit<ComponentProps<'table'>, 'children'> {
  weeks: CalendarMonth['weeks'];
  caption?: string;
  /** The cell of a date, which is a `td`; beside the month there are empty ones. */
  cell: (date: string) => ReactNode;
}

interface DayStateLegendProps {
  label: string;
  entries: readonly { readonly state: DayState; readonly count?: number }[];
}

/** Explains marks and colours, and counts the days that have them where that is given. */
export function DayStateLegend({ label, entries }: DayStateLegendProps) {
  return (
    <ul className={styles.legend} aria-label={label}>
      {entries.map(({ state, count }) => (
        <li key={state}>
          <span className={`${styles.swatch} ${styles[state]}`} aria-hidden>
            {DAY_STATE_MARKS[state]}
          </span>
          {sentenceCase(dayStateText(state))}
          {count !== undefined && `: ${countText(count)}`}
        </li>
      ))}
    </ul>
  );
}

/** The weeks of a month, one below the other. */
export function MonthTable({ weeks, caption, cell, ...table }: MonthTableProps) {
  return (
    <table {...table}>
      {caption && <caption>{caption}</caption>}
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
        {weeks.map((week) => (
          <tr key={week.find((date) => date !== null)}>
            {week.map((date, at) => (date === null ? <td key={WEEK_DAYS[at]} /> : cell(date)))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
