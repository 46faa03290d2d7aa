/** The parts of a plan by where they lie and how they are stored: one statement reads one source. Pure. */
import type { Column } from '../../catalog/dataset.ts';
import type { Part, RowRange } from '../part.ts';
import type { QueryPlan } from '../query-plan.ts';
import { conditionsOf, grantedSql } from './conditions-sql.ts';
import { type Place, placeOf } from './places.ts';
import { type ReadColumn, readColumnsOf } from './read-columns.ts';
import { integerSql } from './sql-values.ts';

export interface PlacedPart {
  readonly place: Place;
  readonly rowCount: number;
  /** How many rows the parts before it have: the place of its first row in natural order. */
  readonly start: number;
  /** Its rows that may match, by their ordinals; null: any may. */
  readonly ranges: readonly RowRange[] | null;
}

/** Parts on one shard and in one table, whose columns are read alike. */
export interface Source {
  readonly shard: number;
  readonly table: string;
  readonly parts: readonly PlacedPart[];
  readonly readOf: (column: Column) => ReadColumn;
  /** What lets rows pass. */
  readonly conditions: readonly string[];
  /** What the grants let pass, once more, for the wall; null: every row. */
  readonly granted: string | null;
}

type Asked = Pick<QueryPlan, 'dataset' | 'predicates' | 'grants' | 'naturalRows'>;

/** More ranges of a part than so many would make a long statement: then they are read as one. */
const RANGES_MAX = 32;

function joined(ranges: readonly RowRange[] | undefined): readonly RowRange[] | null {
  const [first, last] = [ranges?.[0], ranges?.at(-1)];
  if (!ranges || !first || !last) return ranges ?? null;
  return ranges.length > RANGES_MAX ? [{ start: first.start, end: last.end }] : ranges;
}

/** The sources of some parts, and how many rows these have. */
export function sourcesOf(
  plan: Asked,
  parts: readonly Part[],
): { readonly sources: readonly Source[]; readonly rowCount: number } {
  let start = 0;
  const placed = parts.map((part, p) => {
    const { location, rowCount } = part;
    const ranges = joined(plan.naturalRows?.[p]);
    const each = { part, place: placeOf(location), rowCount, start, ranges };
    start += part.rowCount;
    return each;
  });
  const filled = placed.filter(({ rowCount }) => rowCount > 0);
  const groups = Map.groupBy(filled, ({ place }) => `${place.shard}/${place.table}`);
  const sources = [...groups.values()].flatMap((group) => {
    // Stored alike, they may still be of definitions that differ.
    const alike = Map.groupBy(group, ({ part }) => part.storedColumns);
    return [...alike.values()].map((some): Source => {
      const { part, place } = some[0] as (typeof some)[number];
      const readOf = readColumnsOf(part, plan.dataset);
      const conditions = conditionsOf(plan, readOf);
      const granted = grantedSql(plan, readOf);
      return { shard: place.shard, table: place.table, parts: some, readOf, conditions, granted };
    });
  });
  return { sources, rowCount: start };
}

/** The rows of a part that may match and lie from `start` up to `end` in natural order, by their ordinals. */
function rangesWithin(part: PlacedPart, start: number, end: number): RowRange[] {
  const all = part.ranges ?? [{ start: 0, end: part.rowCount }];
  return all
    .map((range) => ({
      start: Math.max(range.start, start - part.start),
      end: Math.min(range.end, end - part.start),
    }))
    .filter((range) => range.start < range.end);
}

/** How many rows of the source may match and lie from `start` up to `end` in natural order. */
export function rowsWithin({ parts }: Source, start = 0, end = Number.MAX_SAFE_INTEGER): number {
  return parts
    .flatMap((part) => rangesWithin(part, start, end))
    .reduce((sum, range) => sum + range.end - range.start, 0);
}

/** The source with those of its parts alone that may have rows from `start` up to `end`; null: none has. */
export function windowOf(source: Source, start: number, end: number): Source | null {
  const parts = source.parts.filter((part) => rangesWithin(part, start, end).length > 0);
  return parts.length === 0 ? null : { ...source, parts };
}

/** Rows of the source's parts that may match and lie from `start` up to `end`. */
export function rangesSql({ parts }: Source, start: number, end: number): string {
  const whole: string[] = [];
  const cut: string[] = [];
  for (const part of parts) {
    const number = integerSql(part.place.number);
    for (const { start: from, end: to } of rangesWithin(part, start, end)) {
      if (to - from === part.rowCount) whole.push(number);
      else
        cut.push(`(part = ${number} AND ord >= ${integerSql(from)} AND ord < ${integerSql(to)})`);
    }
  }
  const all = [...(whole.length > 0 ? [`part IN (${whole.join(', ')})`] : []), ...cut];
  return all.length === 0 ? '0' : `(${all.join(' OR ')})`;
}

/** The place of a row in natural order. */
export function positionSql({ parts }: Source): string {
  const [only] = parts;
  if (only && parts.length === 1) return `toUInt64(ord + ${integerSql(only.start)})`;
  const numbers = parts.map(({ place }) => `toUInt64(${integerSql(place.number)})`);
  const starts = parts.map(({ start }) => `toUInt64(${integerSql(start)})`);
  return `toUInt64(transform(part, [${numbers.join(', ')}], [${starts.join(', ')}], toUInt64(0)) + ord)`;
}
