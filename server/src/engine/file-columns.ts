/**
 * The columns of Parquet files. Many tools know times of microseconds alone: for those, a file has
 * each time twice, in microseconds, and in nanoseconds as an integer of 64 bits. Pure.
 */
import type { Column } from '../catalog/dataset.ts';

/** How a file has times: once, in nanoseconds, or in microseconds and beside it in nanoseconds. */
export type TimeForm = 'nanoseconds' | 'microseconds and integers';

/** A column of a file: one of the answer, or made of it. */
export interface FileColumn extends Column {
  /** Name of the column whose values it has; absent: its own. */
  readonly from?: string;
  /** A time of microseconds, rounded down. */
  readonly isMicros?: boolean;
}

/** No column of a dataset has an underscore in its name. */
const NANOS_SUFFIX = '_ns';

function bothForms(column: Column): FileColumn[] {
  const { name } = column;
  const nanos: FileColumn = {
    name: `${name}${NANOS_SUFFIX}`,
    dataType: 'integer',
    description: `${name} in nanoseconds since 1970-01-01T00:00:00Z`,
    fractionDigits: 0,
    from: name,
  };
  return [{ ...column, isMicros: true }, nanos];
}

/** The columns of a file, in their order. */
export function fileColumnsOf(columns: readonly Column[], times: TimeForm): readonly FileColumn[] {
  if (times === 'nanoseconds') return columns;
  return columns.flatMap((column) =>
    column.dataType === 'date-time' ? bothForms(column) : [column],
  );
}
