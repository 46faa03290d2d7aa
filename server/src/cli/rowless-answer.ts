/** Says of a whole answer, as it came, that it has no rows: only columns. */
import { gunzipSync } from 'node:zlib';
import { parquetRowCount } from '../installed.ts';

/** Longer answers have rows. */
export const ROWLESS_BYTES_MAX = 1024 * 1024;

const isRowlessCsv = (text: Buffer) => text.indexOf('\n') === text.length - 1;

export const IS_ROWLESS = {
  csv: isRowlessCsv,
  csv_gzip: (bytes: Buffer) => isRowlessCsv(gunzipSync(bytes)),
  parquet: (bytes: Buffer) => parquetRowCount(bytes) === 0,
  arrow: async (bytes: Buffer) => (await import('apache-arrow')).tableFromIPC(bytes).numRows === 0,
} as const;
