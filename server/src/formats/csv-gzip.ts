import type { ColumnBatch } from '../engine/columns.ts';
import { ByteSink } from './byte-sink.ts';
import { csvRowWriter, headerBlocks } from './csv.ts';
import type { Format, PageFrame, WrittenPage } from './format.ts';
import { GzipBody } from './gzip-body.ts';
import { writeRows } from './write-rows.ts';

async function write(rows: AsyncIterable<ColumnBatch>, frame: PageFrame): Promise<WrittenPage> {
  const body = new GzipBody();
  for (const block of headerBlocks(frame)) body.add(block);
  const sink = new ByteSink((block) => body.add(block));
  const writer = csvRowWriter(sink, frame.columns, frame.timeZone);
  const counts = await writeRows(rows, frame, writer, () => body.room());
  sink.flush();
  return { body: await body.finish(), ...counts };
}

export const CSV_GZIP_FORMAT: Format = {
  name: 'csv_gzip',
  contentType: 'application/gzip',
  fileSuffix: '.csv.gz',
  rowLimits: { default: 8_000, max: 80_000 },
  pagination: 'in headers',
  // The bytes are also up to the compressor.
  tagStrength: 'weak',
  bodySchema: () => ({ type: 'string', format: 'binary' }),
  write,
};
