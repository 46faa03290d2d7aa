/** Cuts ticks in natural order into the days of their instruments. */
import type { Dataset } from '../catalog/dataset.ts';
import { type ColumnBatch, type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { utcOfMarketTime } from '../time/market-time.ts';
import { Doubles, doubleReader, nanosReader, textReader } from './gathered-columns.ts';

const NOON_NANOS = 43_200_000_000_000n;

/** How the events of an instrument's day are kept while they are gathered: by column. */
export interface EventColumns {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

/** An instrument's day: its key columns, and its events in the order of the feed. */
export interface InstrumentDay {
  readonly date: string;
  readonly ticker: string;
  /** The first one stated by a row; null: none is. */
  readonly asid: number | null;
  readonly root: string | null;
  readonly events: GatheredEvents;
}

/** Events by column; valid until the next instrument's day is asked for. */
export class GatheredEvents {
  readonly nanosOfDay = new Doubles();
  readonly texts: readonly (string | null)[][];
  readonly numbers: readonly Doubles[];

  constructor({ texts, numbers }: EventColumns) {
    this.texts = texts.map(() => []);
    this.numbers = numbers.map(() => new Doubles());
  }

  get length(): number {
    return this.nanosOfDay.length;
  }

  clear(): void {
    for (const column of [this.nanosOfDay, ...this.numbers]) column.clear();
    for (const column of this.texts) column.length = 0;
  }
}

/** The columns that tell instruments and days apart, which are read before those of the events. */
interface KeyColumns {
  readonly asid: string | null;
  readonly root: string | null;
}

export function keyColumnsOf({ columnByName }: Dataset): KeyColumns {
  return {
    asid: columnByName.has('ASID') ? 'ASID' : null,
    root: columnByName.has('BaseSymbol') ? 'BaseSymbol' : null,
  };
}

/** The columns that `instrumentDays` wants of a dataset, in their order. */
export function tickColumnsOf(dataset: Dataset, { texts, numbers }: EventColumns): string[] {
  const { asid, root } = keyColumnsOf(dataset);
  const keys = [asid, root].filter((name) => name !== null);
  return ['TradeDate', 'Ticker', 'EventDateTime', ...texts, ...numbers, ...keys];
}

interface BatchReaders {
  readonly day: (row: number) => number;
  readonly ticker: (row: number) => string | null;
  readonly nanos: (row: number, baseNanos: bigint) => number;
  readonly texts: readonly ((row: number) => string | null)[];
  readonly numbers: readonly ((row: number) => number)[];
  readonly asid: (row: number) => number;
  readonly root: (row: number) => string | null;
}

function readersOf(dataset: Dataset, columns: EventColumns, batch: ColumnBatch): BatchReaders {
  const names = tickColumnsOf(dataset, columns);
  const vectors = new Map(names.map((name, i) => [name, batch.columns[i] as ColumnVector]));
  const vectorOf = (name: string) => vectors.get(name) as ColumnVector;
  const { asid, root } = keyColumnsOf(dataset);
  return {
    day: doubleReader(vectorOf('TradeDate')),
    ticker: textReader(vectorOf('Ticker')),
    nanos: nanosReader(vectorOf('EventDateTime')),
    texts: columns.texts.map((name) => textReader(vectorOf(name))),
    numbers: columns.numbers.map((name) => doubleReader(vectorOf(name))),
    asid: asid === null ? () => Number.NaN : doubleReader(vectorOf(asid)),
    root: root === null ? () => null : textReader(vectorOf(root)),
  };
}

/** UTC nanoseconds of a date's midnight by the offset of its noon, which holds while markets are open. */
function midnightOf({ timeZone }: Dataset, date: string): bigint {
  return utcOfMarketTime(timeZone, date, NOON_NANOS) - NOON_NANOS;
}

interface Key {
  readonly day: number;
  readonly date: string;
  readonly midnight: bigint;
  readonly ticker: string;
  readonly asid: number | null;
  readonly root: string | null;
}

function keyAt(dataset: Dataset, readers: BatchReaders, row: number): Key {
  const day = readers.day(row);
  const date = dateOfDays(day);
  const asid = readers.asid(row);
  return {
    ...{ day, date, midnight: midnightOf(dataset, date) },
    ticker: readers.ticker(row) ?? '',
    asid: Number.isNaN(asid) ? null : asid,
    root: readers.root(row),
  };
}

function addEvent(events: GatheredEvents, readers: BatchReaders, row: number, key: Key): void {
  events.nanosOfDay.push(readers.nanos(row, key.midnight));
  for (let i = 0; i < readers.texts.length; i++) {
    events.texts[i]?.push((readers.texts[i] as (row: number) => string | null)(row));
  }
  for (let i = 0; i < readers.numbers.length; i++) {
    events.numbers[i]?.push((readers.numbers[i] as (row: number) => number)(row));
  }
}

/**
 * Yields each instrument's day once it is complete. `batches` have the columns of `tickColumnsOf`, ordered
 * by trade date and ticker. Memory is that of one instrument's day.
 */
export async function* instrumentDays(
  dataset: Dataset,
  columns: EventColumns,
  batches: AsyncIterable<ColumnBatch>,
): AsyncIterable<InstrumentDay> {
  const events = new GatheredEvents(columns);
  let key: Key | null = null;
  for await (const batch of batches) {
    const readers = readersOf(dataset, columns, batch);
    for (let row = 0; row < batch.rowCount; row++) {
      if (key === null || readers.day(row) !== key.day || readers.ticker(row) !== key.ticker) {
        if (key) yield { ...key, events };
        events.clear();
        key = keyAt(dataset, readers, row);
      }
      addEvent(events, readers, row, key);
    }
    batch.release?.();
  }
  if (key) yield { ...key, events };
}
