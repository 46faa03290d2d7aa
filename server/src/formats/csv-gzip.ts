import type { RowSource } from '../engine/row-source.ts';
import { ByteSink } from './byte-sink.ts';
import { csvRowWriter, headerBlocks } from './csv.ts';
import type { Format, PageFrame, WrittenPage } from './format.ts';
import { GzipBody } from './gzip-body.ts';
import { writeRows } from './write-rows.ts';

async function write(source: RowSource, frame: PageFrame): Promise<WrittenPage> {
  const spooled = frame.spool.begin();
  try {
    const body = new GzipBody((bytes) => spooled.add([bytes]));
    for (const block of headerBlocks(frame)) body.add(block);
    const sink = new ByteSink((block) => body.add(block));
    const writer = csvRowWriter(sink, frame.columns, frame.timeZone);
    const room = async () => {
      await body.room();
      await spooled.room();
    };
    const counts = await writeRows(source.rows(), frame, writer, { room });
    sink.flush();
    spooled.add([await body.finish()]);
    return { body: await spooled.finish(), ...counts };
  } catch (error) {
    await spooled.discard();
    throw error;
  }
}

export const CSV_GZIP_FORMAT: Format = {
  name: 'csv_gzip',
  contentType: 'application/gzip',
  fileSuffix: '.csv.gz',
  rowLimits: () => ({ default: 8_000, max: 80_000 }),
  pagination: 'in headers',
  encodings: [],
  isLabelled: false,
  // The bytes are also up to the compressor.
  tagStrength: 'weak',
  bodySchema: () => ({ type: 'string', format: 'binary' }),
  write,
};
