import type { ComponentProps, ReactNode } from 'react';
import type { CalendarMonth } from './calendar-months';

const WEEK_DAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

interface MonthTableProps extends Omit<ComponentProps<'table'>, 'children'> {
  weeks: CalendarMonth['weeks'];
  caption?: string;
  /** The cell of a date, which is a `td`; beside the month there are empty ones. */
  cell: (date: string) => ReactNode;
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
