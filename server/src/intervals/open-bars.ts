/** Builds longer bars from stored rows in natural order. */
import { ApiError } from '../base/errors.ts';
import { contractColumn } from '../catalog/contract-column.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { BarRules } from '../catalog/interval.ts';
import {
  type CellValue,
  type ColumnVector,
  cellAt,
  dateOfDays,
  daysOfDate,
} from '../engine/columns.ts';
import type { IdentifierList, PlannedBars } from '../engine/query-plan.ts';
import { compareCells, rangeVerdict } from '../plan/prune.ts';
import { problemAt } from '../request/request-problem.ts';
import {
  atMoment,
  type BarClock,
  type BarLabel,
  lastKept,
  type Root,
  sessionsOfDates,
} from './bar-clock.ts';
import { type Combiner, combinersOf, type Vectors } from './combiners.ts';
import { SubjectCodes } from './subjects.ts';

/** Bars of days of everything are open at once; so many take some hundred megabytes at most. */
const OPEN_BARS_MAX = 50_000;

interface OpenBar {
  readonly slot: number;
  readonly bar: bigint;
  /** Day and time of its first row. */
  readonly date: number;
  readonly timeNanos: bigint;
  /** Values of the columns that say what it is about, those of its last row. */
  about: readonly CellValue[];
}

/** Tells bars of a time apart: the number of a subject, or a text where subjects share a bar. */
type Key = number | string;

type LabelledBar = OpenBar & { readonly label: BarLabel };

function tooManyBars(interval: string): ApiError {
  const msg =
    `Bars of this length can cover at most ${OPEN_BARS_MAX.toLocaleString('en-US')} securities or contracts ` +
    'at once: ask for fewer identifiers, or for an interval shorter than a day';
  return new ApiError('invalid', [
    problemAt(['query', 'interval'], 'too_many_bars', msg, interval),
  ]);
}

export interface OpenBarsInput {
  readonly dataset: Dataset;
  readonly rules: BarRules;
  readonly clock: BarClock;
  /** Columns of the bars. */
  readonly columns: readonly Column[];
  readonly asked: PlannedBars;
  /** Called when no bar is open, with the next row and the number of closed bars. */
  readonly onNoneOpen?: (row: number, closedCount: number) => void;
}

export class OpenBars {
  readonly #input: OpenBarsInput;
  readonly #combiners: ReadonlyMap<string, Combiner>;
  readonly #mayHold: MayHold;
  /** Places in `about` that tell bars apart; null: all of them. */
  readonly #apart: readonly number[] | null;
  /** Places in `about` that natural order goes by. */
  readonly #orderedBy: readonly number[];
  #subjects: SubjectCodes;
  /** By bar, then by what they are about. */
  readonly #open = new Map<bigint, Map<Key, OpenBar>>();
  #openCount = 0;
  #closedCount = 0;
  readonly #freeSlots: number[] = [];

  constructor(input: OpenBarsInput) {
    const { dataset, rules, columns, asked } = input;
    this.#input = input;
    this.#mayHold = rowsBySession(dataset, rules, asked);
    this.#apart = asked.by?.map((name) => rules.by.indexOf(name)) ?? null;
    this.#combiners = combinersOf(
      rules,
      columns.map(({ name }) => name),
      dataset,
    );
    this.#orderedBy = dataset.naturalOrder
      .map((name) => rules.by.indexOf(name))
      .filter((place) => place !== -1);
    this.#subjects = new SubjectCodes(rules.by.length);
  }

  /** Adds stored rows; yields the rows of bars that none of them, or of later ones, belongs to. */
  *add(batch: { readonly rowCount: number; readonly vectors: Vectors }): Generator<CellValue[]> {
    const { dataset, rules, clock } = this.#input;
    const { rowCount, vectors } = batch;
    for (const combiner of this.#combiners.values()) combiner.begin(vectors);
    const about = rules.by.map(vectors);
    const subjects = this.#subjectsOf(about, rowCount);
    const dates = vectors(dataset.dateColumn ?? '');
    const times = rules.time === null ? null : vectors(rules.time);
    const roots = about[rules.by.indexOf(dataset.rootColumn ?? '')];
    let end = 0;
    /** End of the run of rows with one date and one subject. */
    let runEnd = 0;
    for (let first = 0; first < rowCount; first = end) {
      end = first + 1;
      const date = cellAt(dates, first) as number | null;
      const time = times ? (cellAt(times, first) as bigint | null) : 0n;
      // Rows that nobody can place in time belong to no bar.
      if (date === null || time === null) continue;
      const root = roots ? (cellAt(roots, first) as Root) : null;
      const { bar, endNanos } = clock.spanOf(date, time, root);
      const subject = subjects[first] as number;
      runEnd = Math.max(runEnd, end);
      while (runEnd < rowCount && subjects[runEnd] === subject && cellAt(dates, runEnd) === date) {
        runEnd++;
      }
      end = endNanos === null ? runEnd : firstFrom(times, end, runEnd, endNanos);
      const cells = () => about.map((vector) => cellAt(vector, first));
      if (!this.#mayHold(cells, date, time, root)) continue;
      const key = this.#apart?.map((place) => cells()[place]).join(' ') ?? subject;
      yield* this.#closeBefore(date, bar, key);
      if (this.#openCount === 0) this.#input.onNoneOpen?.(first, this.#closedCount);
      const opened = this.#barOf({ bar, date, timeNanos: time }, key, cells);
      if (this.#apart) opened.about = cells();
      for (const combiner of this.#combiners.values()) combiner.add(opened.slot, first, end);
    }
  }

  /** The rows of all bars that are left. */
  *end(): Generator<CellValue[]> {
    yield* this.#close([...this.#open.keys()]);
  }

  #subjectsOf(about: readonly ColumnVector[], rowCount: number): Int32Array {
    // Over the years there are far more of them than are open at any moment.
    if (this.#subjects.count > 2 * OPEN_BARS_MAX) this.#forgetSubjects();
    return this.#subjects.codesOf(about, rowCount);
  }

  #forgetSubjects(): void {
    const subjects = new SubjectCodes(this.#input.rules.by.length);
    for (const [bar, bars] of this.#open) {
      const again = [...bars].map(([key, each]) => {
        return [typeof key === 'string' ? key : subjects.codeOf(each.about), each] as const;
      });
      this.#open.set(bar, new Map(again));
    }
    this.#subjects = subjects;
  }

  #barOf(
    first: Pick<OpenBar, 'bar' | 'date' | 'timeNanos'>,
    key: Key,
    about: () => CellValue[],
  ): OpenBar {
    const { bar } = first;
    const bars = this.#open.get(bar) ?? new Map<Key, OpenBar>();
    this.#open.set(bar, bars);
    const known = bars.get(key);
    if (known) return known;
    if (this.#openCount === OPEN_BARS_MAX) throw tooManyBars(this.#input.asked.interval);
    const slot = this.#freeSlots.pop() ?? this.#openCount;
    this.#openCount++;
    const opened = { ...first, slot, about: about() };
    bars.set(key, opened);
    return opened;
  }

  /** Closes what no row of the date that is not of this bar, and no later row, can belong to. */
  *#closeBefore(date: number, bar: bigint, key: Key): Generator<CellValue[]> {
    if (this.#input.clock.isContiguous) {
      if (!this.#open.get(bar)?.has(key)) yield* this.end();
    } else {
      const earliest = this.#input.clock.earliestBar(date);
      yield* this.#close([...this.#open.keys()].filter((each) => each < earliest));
    }
  }

  *#close(bars: readonly bigint[]): Generator<CellValue[]> {
    const closed = bars.flatMap((bar) => {
      const all = [...(this.#open.get(bar)?.values() ?? [])];
      this.#open.delete(bar);
      return all.map((each) => ({ ...each, label: this.#labelOf(each) }));
    });
    for (const each of closed.sort((a, b) => this.#compare(a, b))) yield this.#rowOf(each);
  }

  #labelOf({ bar, date, timeNanos, about }: OpenBar): BarLabel {
    const { dataset, rules, clock } = this.#input;
    const root = about[rules.by.indexOf(dataset.rootColumn ?? '')] as Root | undefined;
    return clock.labelOf(bar, date, timeNanos, root ?? null);
  }

  /** By natural order: the date, what bars are about, and their time. */
  #compare(a: LabelledBar, b: LabelledBar): number {
    if (a.label.date !== b.label.date) return a.label.date - b.label.date;
    for (const place of this.#orderedBy) {
      const order = compareCells(a.about[place] ?? null, b.about[place] ?? null);
      if (order !== 0) return order;
    }
    return Number(a.bar > b.bar) - Number(a.bar < b.bar);
  }

  #rowOf({ slot, label, about }: LabelledBar): CellValue[] {
    const { dataset, rules, columns } = this.#input;
    const { dateColumn } = dataset;
    const { time, by } = rules;
    const values = new Map<string, CellValue>(by.map((name, i) => [name, about[i] ?? null]));
    if (dateColumn !== null) values.set(dateColumn, label.date);
    if (time !== null) values.set(time, label.timeNanos);
    // Also those that only decide about others have to forget the bar.
    for (const [name, combiner] of this.#combiners) values.set(name, combiner.take(slot, label));
    this.#freeSlots.push(slot);
    this.#openCount--;
    this.#closedCount++;
    return columns.map(({ name }) => values.get(name) ?? null);
  }
}

/** First row of [first, end) at or after a moment, or without a time. */
function firstFrom(
  times: ColumnVector | null,
  first: number,
  end: number,
  momentNanos: bigint,
): number {
  let [low, high] = [first, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const time = times && (cellAt(times, middle) as bigint | null);
    if (time !== null && time < momentNanos) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Tells if bars may hold a row. `about`: its cells of those columns; `date`: days since 1970. */
export type MayHold = (
  about: () => readonly CellValue[],
  date: number,
  timeNanos: bigint,
  root: Root,
) => boolean;

const ANY_IDENTIFIER = [{ holds: () => true }];

/** Tells if a row has one of the identifiers, by the columns that tell bars apart. */
function holdsOneOf(universe: readonly IdentifierList[], { by }: BarRules) {
  const lists = universe.map(({ column, values }) => {
    return { place: by.indexOf(column.name), values: new Set<CellValue>(values) };
  });
  return (about: () => readonly CellValue[]) =>
    lists.some(({ place, values }) => place === -1 || values.has(about()[place] ?? null));
}

/** Bars that go over midnight hold the rows of the sessions, and of their contracts, asked for. */
function rowsBySession(
  dataset: Dataset,
  rules: BarRules,
  { contracts, sessions }: PlannedBars,
): MayHold {
  if (!contracts && !sessions) return () => true;
  const sessionsOf = sessionsOfDates(dataset, rules);
  const place = rules.by.indexOf(contractColumn(dataset)?.name ?? '');
  const spans = contracts?.map(({ ticker, start, end }) => {
    return { ticker, first: daysOfDate(start), last: daysOfDate(end) };
  });
  const verdicts = sessions?.dates.flatMap((predicate) => rangeVerdict(predicate) ?? []) ?? [];
  const grants = sessions?.grants?.map(({ window, universe }) => {
    return { window, holds: universe === null ? () => true : holdsOneOf(universe, rules) };
  });
  const grantsOf = lastKept((day: number) => {
    const date = dateOfDays(day);
    if (!verdicts.every((verdict) => verdict(date, date) === 'all')) return [];
    return (
      grants?.filter(({ window }) => window.start <= date && date <= window.end) ?? ANY_IDENTIFIER
    );
  });
  return (about, date, timeNanos, root) => {
    const { day } = atMoment(sessionsOf(date)(root), timeNanos);
    if (!grantsOf(day).some(({ holds }) => holds(about))) return false;
    if (!spans) return true;
    const ticker = about()[place];
    return spans.some((span) => span.ticker === ticker && span.first <= day && day <= span.last);
  };
}
