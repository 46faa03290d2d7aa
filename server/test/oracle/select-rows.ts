/**
 * The plain program that the service is held against: it filters, sorts and prints rows in memory,
 * written from the interface's rules alone.
 */
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import type { Cell, Row } from './read-rows.ts';

export interface OracleFilter {
  readonly column: string;
  readonly operator: 'eq' | 'gt' | 'ge' | 'lt' | 'le' | 'in' | 'like' | 'ilike';
  readonly values: readonly Exclude<Cell, null>[];
}

export interface OracleRequest {
  readonly filters: readonly OracleFilter[];
  readonly sort: readonly { readonly column: string; readonly descending: boolean }[];
  readonly columns: readonly string[] | null;
}

type Elements = readonly (string | number | bigint)[];

/** Element by element; a shorter array comes before one that it begins. */
function compareArrays(a: Elements, b: Elements): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compare(a[i] as Elements[number], b[i] as Elements[number]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Order of two values of one type; strings by their UTF-8 bytes. */
function compare(a: Exclude<Cell, null>, b: Exclude<Cell, null>): number {
  if (Array.isArray(a)) return compareArrays(a, b as Elements);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  const [x, y] = [a, b as typeof a];
  return x < y ? -1 : x > y ? 1 : 0;
}

function likeExpression(pattern: string, flags: string): RegExp {
  const escaped = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, `su${flags}`);
}

function matchesValue(value: Exclude<Cell, null>, { operator, values }: OracleFilter): boolean {
  const [first] = values as [Exclude<Cell, null>];
  switch (operator) {
    case 'eq':
      return compare(value, first) === 0;
    case 'in':
      return values.some((candidate) => compare(value, candidate) === 0);
    case 'gt':
      return compare(value, first) > 0;
    case 'ge':
      return compare(value, first) >= 0;
    case 'lt':
      return compare(value, first) < 0;
    case 'le':
      return compare(value, first) <= 0;
    case 'like':
      return likeExpression(String(first), '').test(String(value));
    case 'ilike':
      return likeExpression(String(first), 'i').test(String(value));
  }
}

function matches(cell: Cell, filter: OracleFilter): boolean {
  if (cell === null) return false;
  if (Array.isArray(cell)) return cell.some((element) => matchesValue(element, filter));
  return matchesValue(cell, filter);
}

/** Nulls come last, whichever the direction. */
function compareCells(a: Cell, b: Cell, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return descending ? -compare(a, b) : compare(a, b);
}

/** The rows that a request finds among `rows`, which stand in natural order. */
export function selectRows(rows: readonly Row[], request: OracleRequest): Row[] {
  const found = rows.filter((row) =>
    request.filters.every((filter) => matches(row[filter.column] as Cell, filter)),
  );
  // A stable sort: ties keep the natural order.
  return found.toSorted((a, b) => {
    for (const { column, descending } of request.sort) {
      const order = compareCells(a[column] as Cell, b[column] as Cell, descending);
      if (order !== 0) return order;
    }
    return 0;
  });
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
    clocks.set(zone, clock);
  }
  return clock;
}

export function timeText(nanos: bigint, zone: string, fractionDigits: number): string {
  const inSecond = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = Number((nanos - inSecond) / 1_000_000_000n);
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(seconds * 1000)
      .map(({ type, value }) => [type, value]),
  );
  const fraction = fractionDigits === 0 ? '' : `.${String(inSecond).padStart(9, '0')}`;
  const date = `${parts.year}-${parts.month}-${parts.day}`;
  const offset = String(parts.timeZoneName).slice(3);
  return `${date}T${parts.hour}:${parts.minute}:${parts.second}${fraction}${offset}`;
}

/** The shortest text of a decimal, given in units of its last digit. */
export function decimalText(units: bigint, scale: number): string {
  const digits = `${units}`.replace('-', '').padStart(scale + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(-scale)];
  const text = scale === 0 ? whole : `${whole}.${fraction}`.replace(/\.?0+$/, '');
  return units < 0n ? `-${text}` : text;
}

/** A cell as a reader of an answer sees it: times and decimals as text, most others as they are. */
export function shownCell(cell: Cell, column: Column, dataset: Pick<Dataset, 'timeZone'>): Cell {
  if (cell === null) return cell;
  if (column.dataType === 'decimal') return decimalText(cell as bigint, column.scale ?? 0);
  if (column.dataType === 'array of integer') return (cell as bigint[]).map(Number);
  if (column.dataType !== 'date-time') return cell;
  return timeText(cell as bigint, dataset.timeZone, column.fractionDigits);
}
