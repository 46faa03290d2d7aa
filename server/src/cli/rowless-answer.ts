/** Says of a whole answer, as it came, that it has no rows: only columns. */
import { gunzipSync } from 'node:zlib';
import { Message } from 'apache-arrow/fb/message';
import { MessageHeader } from 'apache-arrow/fb/message-header';
import { ByteBuffer } from 'flatbuffers';
import { parquetRowCount } from '../installed.ts';

/** Longer answers have rows. */
export const ROWLESS_BYTES_MAX = 1024 * 1024;

const FRAME_BYTES = 8;

/** True for a stream with dictionaries alone behind its schema. */
function isRowlessArrow(stream: Buffer): boolean {
  for (let at = 0; at + FRAME_BYTES <= stream.length; ) {
    const length = stream.readInt32LE(at + 4);
    if (length === 0) return true;
    const end = at + FRAME_BYTES + length;
    const bytes = new ByteBuffer(stream.subarray(at + FRAME_BYTES, end));
    const message = Message.getRootAsMessage(bytes);
    if (message.headerType() === MessageHeader.RecordBatch) return false;
    at = end + Number(message.bodyLength());
  }
  return true;
}

const isRowlessCsv = (text: Buffer) => text.indexOf('\n') === text.length - 1;

export const IS_ROWLESS = {
  csv: isRowlessCsv,
  csv_gzip: (bytes: Buffer) => isRowlessCsv(gunzipSync(bytes)),
  parquet: (bytes: Buffer) => parquetRowCount(bytes) === 0,
  arrow: isRowlessArrow,
} as const;
