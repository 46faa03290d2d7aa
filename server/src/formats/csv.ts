import type { Column } from '../catalog/dataset.ts';
import type { RowSource } from '../engine/row-source.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { ByteSink, textOf } from './byte-sink.ts';
import type { Format, PageFrame, WrittenPage } from './format.ts';
import { joined } from './joined-blocks.ts';
import { type CellStyle, type RowWriter, rowWriter } from './row-bytes.ts';
import { writeRows } from './write-rows.ts';

const NEEDS_QUOTES = /[",\n\r]/;

/** RFC 4180. An empty string is quoted, so that it differs from null. */
export function csvString(value: string): string {
  if (value === '') return '""';
  return NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

const STYLE: CellStyle = {
  nullText: textOf(''),
  string: csvString,
  array: (json) => `"${json.replaceAll('"', '""')}"`,
  quote: '',
};

/** Rows as CSV lines, each ended by `\n`. */
export function csvRowWriter(
  sink: ByteSink,
  columns: readonly Column[],
  zone: TimeZone,
): RowWriter {
  const before = columns.map((_, c) => textOf(c === 0 ? '' : ','));
  return rowWriter(sink, columns, { style: STYLE, zone }, before, textOf('\n'));
}

export function csvHeader(columns: readonly Column[]): string {
  return `${columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`).join(',')}\n`;
}

/** The header line, which only the first page has. */
export function headerBlocks({ columns, offset }: PageFrame): Buffer[] {
  return offset === 0 ? [Buffer.from(csvHeader(columns))] : [];
}

async function write(source: RowSource, frame: PageFrame): Promise<WrittenPage> {
  const blocks = headerBlocks(frame);
  const sink = new ByteSink((block) => blocks.push(block));
  const counts = await writeRows(
    source.rows(),
    frame,
    csvRowWriter(sink, frame.columns, frame.timeZone),
  );
  sink.flush();
  return { body: await joined(blocks), ...counts };
}

export const CSV_FORMAT: Format = {
  name: 'csv',
  contentType: 'text/csv',
  fileSuffix: null,
  rowLimits: () => ({ default: 3_000, max: 30_000 }),
  pagination: 'in headers',
  encodings: [],
  isLabelled: false,
  tagStrength: 'strong',
  bodySchema: () => ({ type: 'string' }),
  write,
};
