/** The formats of files of whole results, by their names in `response_format`. */
import type { Spool } from '../base/spool.ts';
import { StoredBytes } from '../base/stored-bytes.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { ARROW_FORMAT } from '../formats/arrow/arrow.ts';
import { fieldsOf } from '../formats/arrow/fields.ts';
import { END_OF_STREAM, schemaMessage } from '../formats/arrow/messages.ts';
import { CSV_GZIP_FORMAT } from '../formats/csv.ts';
import type { Format } from '../formats/format.ts';
import { planSource, type RowTools } from '../intervals/plan-source.ts';
import { labelsOf, renderPage } from '../response/page.ts';
import { TABLE_TIMES } from '../sharing/tables.ts';
import type { MadeFile } from './delivered-files.ts';

/** Tools for making files. */
export interface FileTools extends RowTools {
  /** Spool for bodies too large for memory. */
  readonly spool: Spool;
}

export interface FileFormat {
  readonly name: string;
  readonly contentType: string;
  /** Ends the file's name. */
  readonly suffix: string;
  /** A stream without rows, in base64, of files that are streams; absent: they are none. */
  readonly rowlessStream?: (plan: QueryPlan) => string;
  readonly make: (tools: FileTools, plan: QueryPlan, signal: AbortSignal) => Promise<MadeFile>;
}

/**
 * A file of parts that a new version leaves alone stays the same file, so it does not say its
 * version.
 */
function withoutVersion(plan: QueryPlan): QueryPlan {
  return { ...plan, version: null, closedDates: null };
}

const PARQUET_FILE: FileFormat = {
  name: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  suffix: '.parquet',
  make: (tools, plan, signal) => planSource(tools, withoutVersion(plan), signal).parquet(),
};

/** Files in a format of pages: one page of all rows. */
function renderedFile(format: Format, suffix: string): FileFormat {
  const { name, contentType } = format;
  return {
    ...{ name, contentType, suffix },
    make: async (tools, plan, signal) => {
      const whole = withoutVersion(plan);
      const source = planSource(tools, whole, signal);
      const { body, rowCount } = await renderPage({
        ...{ plan: whole, source, format, pathParameters: [], spool: tools.spool },
      });
      const bytes = Buffer.isBuffer(body) ? new StoredBytes([{ bytes: body }]) : body;
      return { bytes, rowCount };
    },
  };
}

/** The first one is the default. */
export const FILE_FORMATS: readonly [FileFormat, ...FileFormat[]] = [
  PARQUET_FILE,
  { ...renderedFile(ARROW_FORMAT, '.arrows'), rowlessStream },
  renderedFile(CSV_GZIP_FORMAT, '.csv.gz'),
];

/** Files of tables, for Delta Sharing alone. */
export const TABLE_FILE: FileFormat = {
  ...PARQUET_FILE,
  name: 'table',
  make: (tools, plan, signal) =>
    planSource(tools, withoutVersion(plan), signal).parquet(TABLE_TIMES),
};

/** Formats that links may lead to. */
export const LINKED_FORMATS: readonly FileFormat[] = [...FILE_FORMATS, TABLE_FILE];

/** An Arrow stream of the plan's columns, in base64. */
export function rowlessStream(plan: QueryPlan): string {
  const { columns, dataset } = plan;
  const fields = fieldsOf(columns, dataset.timeZone, dataset.isTimeSeries);
  const stream = Buffer.concat([schemaMessage(fields, labelsOf(plan)), END_OF_STREAM]);
  return stream.toString('base64');
}
