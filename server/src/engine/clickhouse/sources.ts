/** The parts of a plan by where they lie and how they are stored: one statement reads one source. Pure. */
import type { Column } from '../../catalog/dataset.ts';
import type { Part } from '../part.ts';
import type { QueryPlan } from '../query-plan.ts';
import { conditionsOf } from './conditions-sql.ts';
import { type Place, placeOf } from './places.ts';
import { type ReadColumn, readColumnsOf } from './read-columns.ts';
import { integerSql } from './sql-values.ts';

export interface PlacedPart {
  readonly place: Place;
  readonly rowCount: number;
  /** How many rows the parts before it have: the place of its first row in natural order. */
  readonly start: number;
}

/** Parts on one shard and in one table, whose columns are read alike. */
export interface Source {
  readonly shard: number;
  readonly table: string;
  readonly parts: readonly PlacedPart[];
  readonly readOf: (column: Column) => ReadColumn;
  /** What lets rows pass. */
  readonly conditions: readonly string[];
}

type Asked = Pick<QueryPlan, 'dataset' | 'predicates' | 'grants'>;

/** The sources of some parts, and how many rows these have. */
export function sourcesOf(
  plan: Asked,
  parts: readonly Part[],
): { readonly sources: readonly Source[]; readonly rowCount: number } {
  let start = 0;
  const placed = parts.map((part) => {
    const each = { part, place: placeOf(part.location), rowCount: part.rowCount, start };
    start += part.rowCount;
    return each;
  });
  const groups = Map.groupBy(placed, ({ place }) => `${place.shard}/${place.table}`);
  const sources = [...groups.values()].flatMap((group) => {
    // Stored alike, they may still be of definitions that differ.
    const alike = Map.groupBy(group, ({ part }) => part.storedColumns);
    return [...alike.values()].map((some): Source => {
      const { part, place } = some[0] as (typeof some)[number];
      const readOf = readColumnsOf(part, plan.dataset);
      const conditions = conditionsOf(plan, readOf);
      return { shard: place.shard, table: place.table, parts: some, readOf, conditions };
    });
  });
  return { sources, rowCount: start };
}

/** The source with those of its parts alone that have rows from `start` up to `end`; null: none has. */
export function windowOf(source: Source, start: number, end: number): Source | null {
  const parts = source.parts.filter(
    (part) => part.start < end && part.start + part.rowCount > start,
  );
  return parts.length === 0 ? null : { ...source, parts };
}

/** Rows of the source's parts that lie from `start` up to `end`. */
export function rangesSql({ parts }: Source, start: number, end: number): string {
  const isWhole = (part: PlacedPart) => part.start >= start && part.start + part.rowCount <= end;
  const whole = parts.filter(isWhole).map(({ place }) => integerSql(place.number));
  const cut = parts
    .filter((part) => !isWhole(part))
    .map((part) => {
      const from = Math.max(0, start - part.start);
      const to = Math.min(part.rowCount, end - part.start);
      const number = integerSql(part.place.number);
      return `(part = ${number} AND ord >= ${integerSql(from)} AND ord < ${integerSql(to)})`;
    });
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
