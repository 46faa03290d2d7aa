/**
 * The plain program that the service is checked against: filters, sorts and prints rows in memory,
 * written from the interface's rules alone. It shares the meaning of operators and orders with the
 * program that engines are checked against.
 */
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import { passes, rowPlace, sortedBy } from '../../src/engine/conformance/select-rows.ts';
import type { Operator } from '../../src/engine/operators.ts';
import type { Cell, Row } from './read-rows.ts';

export interface OracleFilter {
  readonly column: string;
  readonly operator: Operator;
  readonly values: readonly Exclude<Cell, null>[];
}

export interface OracleRequest {
  readonly filters: readonly OracleFilter[];
  readonly sort: readonly { readonly column: string; readonly descending: boolean }[];
  readonly columns: readonly string[] | null;
  readonly sample?: Sample | null;
}

/** The rows below a place, which the columns of the natural order give, except for decimals. */
export interface Sample {
  readonly text: string;
  readonly placeMax: number;
  readonly columns: readonly Column[];
}

export function halfOf({ naturalOrder, columnByName }: Dataset): Sample {
  const columns = naturalOrder
    .map((name) => columnByName.get(name) as Column)
    .filter(({ dataType }) => dataType !== 'decimal');
  return { text: 'sample=1/2', placeMax: 500_000, columns };
}

export function isSampled(row: Row, { placeMax, columns }: Sample): boolean {
  return rowPlace(({ name }) => row[name] as Cell, columns) < placeMax;
}

/** The rows that a request finds among `rows`, which stand in natural order; ties keep it. */
export function selectRows(rows: readonly Row[], request: OracleRequest): Row[] {
  const { filters, sample } = request;
  const found = rows.filter(
    (row) =>
      filters.every(({ column, operator, values }) =>
        passes(row[column] as Cell, operator, values),
      ) &&
      (!sample || isSampled(row, sample)),
  );
  return sortedBy(found, request.sort, (row, { column }) => row[column] as Cell);
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
