import { Link } from '@tanstack/react-router';
import type { CoverageMap } from '@ticklake/client';
import { type KeyboardEvent, memo, useLayoutEffect, useRef, useState } from 'react';
import { queryString } from '../api/client';
import { answerQuery } from '../api/queries';
import {
  AMISS,
  DAY_STATE_MARKS,
  DAY_STATES,
  type DayState,
  dayStateText,
} from '../catalogue/calendar-months';
import dayStates from '../catalogue/day-states.module.css';
import { DayStateLegend } from '../catalogue/month-table';
import { addDays } from '../format/dates';
import { countText } from '../format/texts';
import { useKnownSearch } from '../layout/known-search';
import { useSession } from '../session/session';
import { CheckboxField } from '../ui/checkbox-field';
import { DateField } from '../ui/date-field';
import { DatasetLink } from '../ui/links';
import { Page, Query } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { Toolbar } from '../ui/toolbar';
import { RANGES, readCoverageRange, shownDays } from './coverage-range';
import styles from './heat-map.module.css';

export type MapRow = CoverageMap['datasets'][number];

/** A longer range is shown by weeks. */
const DAY_COLUMNS_MAX = 45;

/** A cell of several days looks like the one that most needs somebody. */
const BY_NEED: readonly DayState[] = [
  ...(['missing', 'late', 'withdrawn', 'expected', 'spanned', 'complete'] as const),
  'no_trading_day',
];

/** One day or a week, by the places of its days in `states`. */
export type MapColumn = ReturnType<typeof mapColumns>[number];

function mondayOf(date: string): string {
  const daysSince = (new Date(date).getUTCDay() + 6) % 7;
  return addDays(date, -daysSince);
}

/** Days, or weeks of a long range; without those on which no dataset has anything to tell. */
export function mapColumns({ dates, datasets }: CoverageMap) {
  const isTold = (place: number) =>
    datasets.some(({ states }) => ![null, 'no_trading_day'].includes(states[place] ?? null));
  const places = dates.map((_, place) => place).filter(isTold);
  const isByWeek = dates.length > DAY_COLUMNS_MAX;
  const columns = Map.groupBy(places, (place) => {
    const date = dates[place] as string;
    return isByWeek ? mondayOf(date) : date;
  });
  return [...columns.values()].map((ofColumn) => ({
    first: dates[ofColumn[0] as number] as string,
    last: dates[ofColumn.at(-1) as number] as string,
    places: ofColumn,
  }));
}

/** `complete`, or `4 complete, 1 missing` of several days. */
function statesText(states: readonly (DayState | null)[]): string {
  const known = BY_NEED.filter((state) => states.includes(state));
  if (known.length === 0) return 'no information';
  if (states.length === 1) return dayStateText(known[0] as DayState);
  const count = (state: DayState) => countText(states.filter((each) => each === state).length);
  return known.map((state) => `${count(state)} ${dayStateText(state)}`).join(', ');
}

export function mapCell({ states }: MapRow, { first, last, places }: MapColumn) {
  const own = places.map((place) => states[place] ?? null);
  const days = first === last ? first : `${first} to ${last}`;
  return {
    /** Null: there is nothing to tell. */
    state: BY_NEED.find((state) => own.includes(state)) ?? null,
    /** `2026-11-18: late`. */
    text: `${days}: ${statesText(own)}`,
  };
}

export function amissCount({ states }: MapRow): number {
  return states.filter((state) => AMISS.includes(state)).length;
}

const coverageMapQuery = (start: string, end: string) =>
  answerQuery<CoverageMap>(`/admin/coverage${queryString({ start, end })}`);

/** To the dataset's days; for owners without an account, who have no catalogue, to publications. */
function RowLink({ row: { dataset_id, dataset_name } }: { row: MapRow }) {
  const { account } = useSession();
  if (account === null) {
    return (
      <Link to="/publications/history" search={{ dataset: dataset_id }}>
        {dataset_name}
      </Link>
    );
  }
  return (
    <DatasetLink id={dataset_id} tab="coverage">
      {dataset_name}
    </DatasetLink>
  );
}

/** By which steps a key moves the focus: rows, columns. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

const within = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);

interface CellProps {
  cell: ReturnType<typeof mapCell>;
  row: number;
  column: number;
  isTabStop: boolean;
}

const Cell = memo(({ cell: { state, text }, row, column, isTabStop }: CellProps) => (
  <td
    className={`${styles.cell} ${dayStates[state ?? 'nothing']}`}
    tabIndex={isTabStop ? 0 : -1}
    data-place={`${row} ${column}`}
    data-text={text}
  >
    <span aria-hidden>{state && DAY_STATE_MARKS[state]}</span>
    <span className="visually-hidden">{text}</span>
  </td>
));

const monthOf = (column: MapColumn | undefined) => column?.first.slice(0, 7);

interface HeadingProps {
  column: MapColumn;
  previous: MapColumn | undefined;
  next: MapColumn | undefined;
}

/** The month where it begins and has room, and the day. */
function Heading({ column, previous, next }: HeadingProps) {
  const month = monthOf(column);
  const isFirst = month !== monthOf(previous);
  // One column is too narrow for it: the name of the next month would lie over it.
  const hasRoom = next === undefined || month === monthOf(next);
  return (
    <th scope="col" className={styles.date}>
      <span className="visually-hidden">{column.first}</span>
      <span aria-hidden>
        {isFirst && hasRoom && <span className={styles.month}>{month}</span>}
        {column.first.slice(8)}
      </span>
    </th>
  );
}

function hintOf(columns: readonly MapColumn[]): string {
  const isByWeek = columns.some(({ first, last }) => first !== last);
  const what = isByWeek ? 'Each column is a week. Point at one' : 'Point at a day';
  return `${what}, tap it or move with the arrow keys to see its details.`;
}

/** A row for each dataset, a column for each day or week. Arrow keys move through it. */
function HeatMap({ rows, columns }: { rows: readonly MapRow[]; columns: readonly MapColumn[] }) {
  const table = useRef<HTMLTableElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const days = `${columns[0]?.first} ${columns.at(-1)?.first}`;
  // The newest days are what people come for, and on the right.
  useLayoutEffect(() => {
    if (scroller.current && days) scroller.current.scrollLeft = scroller.current.scrollWidth;
  }, [days]);
  const [tabStop, setTabStop] = useState<readonly [number, number]>([0, columns.length - 1]);
  const [told, setTold] = useState('');
  const [stopRow, stopColumn] = [
    within(tabStop[0], rows.length),
    within(tabStop[1], columns.length),
  ];
  const tell = ({ target }: { target: EventTarget }) => {
    const cell = (target as Element).closest<HTMLElement>('[data-place]');
    const place = cell?.dataset.place?.split(' ').map(Number);
    const name = rows[place?.[0] ?? -1]?.dataset_name;
    if (cell && name) setTold(`${name}, ${cell.dataset.text}`);
    return place;
  };
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step || !(event.target as Element).matches('[data-place]')) return;
    event.preventDefault();
    const row = within(stopRow + step[0], rows.length);
    const column = within(stopColumn + step[1], columns.length);
    table.current?.querySelector<HTMLElement>(`[data-place="${row} ${column}"]`)?.focus();
  };
  return (
    <>
      <p className={styles.told} aria-hidden>
        {told || hintOf(columns)}
      </p>
      <div ref={scroller} className={styles.scroll}>
        <table
          ref={table}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move in it
          role="grid"
          className={styles.map}
          aria-label="Coverage of all datasets"
          onKeyDown={move}
          onPointerOver={tell}
          onFocus={(event) => {
            const place = tell(event);
            if (place) setTabStop([place[0] as number, place[1] as number]);
          }}
        >
          <thead>
            <tr>
              <th scope="col" className={styles.name}>
                Dataset
              </th>
              {columns.map((column, at) => (
                <Heading
                  key={column.first}
                  column={column}
                  previous={columns[at - 1]}
                  next={columns[at + 1]}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr
                key={row.dataset_id}
                className={row.data_group === rows[at - 1]?.data_group ? '' : styles.groupStart}
              >
                <th scope="row" className={styles.name}>
                  <RowLink row={row} />
                  <span className={styles.group}>
                    {row.version === 0 ? 'Nothing is published' : row.data_group}
                  </span>
                </th>
                {columns.map((column, columnAt) => (
                  <Cell
                    key={column.first}
                    cell={mapCell(row, column)}
                    row={at}
                    column={columnAt}
                    isTabStop={at === stopRow && columnAt === stopColumn}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function MapLegend({ rows }: { rows: readonly MapRow[] }) {
  const found = new Set(rows.flatMap(({ states }) => states));
  const entries = DAY_STATES.filter((state) => found.has(state)).map((state) => ({ state }));
  const amiss = rows.filter((row) => amissCount(row) > 0).length;
  return (
    <>
      <p role="status">
        {amiss === 0
          ? 'Nothing is late, missing or withdrawn.'
          : `Datasets with late, missing or withdrawn days: ${amiss} of ${rows.length}.`}
      </p>
      <DayStateLegend label="What the marks mean" entries={entries} />
    </>
  );
}

function ShownMap({ map, isAmissOnly }: { map: CoverageMap; isAmissOnly: boolean }) {
  const rows = map.datasets.filter((row) => !isAmissOnly || amissCount(row) > 0);
  const columns = mapColumns(map);
  return (
    <>
      <MapLegend rows={map.datasets} />
      {rows.length === 0 || columns.length === 0 ? (
        <p>There is nothing to show.</p>
      ) : (
        <HeatMap rows={rows} columns={columns} />
      )}
    </>
  );
}

export default function CoverageScreen() {
  const [range, , field] = useKnownSearch(readCoverageRange);
  const [nowMs] = useState(Date.now);
  const [isAmissOnly, setIsAmissOnly] = useState(false);
  const { start, end } = shownDays(range, nowMs);
  return (
    <Page
      title="Coverage"
      description="Which trade dates each dataset has, of those published by day. Rows of days shown as probably complete have not been counted: open the dataset to count them."
    >
      <Toolbar label="Choose the days">
        <SelectField label="Range" options={RANGES} {...field('days')} value={range.days ?? '30'} />
        <DateField label="Last day" {...field('end')} value={end} />
        <CheckboxField
          label="Only incomplete datasets"
          name="amiss"
          value={isAmissOnly}
          onValueChange={setIsAmissOnly}
        />
      </Toolbar>
      <Query of={coverageMapQuery(start, end)} what="coverage">
        {(loaded) => <ShownMap map={loaded} isAmissOnly={isAmissOnly} />}
      </Query>
    </Page>
  );
}
