import type { Column } from '../catalog/dataset.ts';
import type { TextFormat } from '../engine/engine.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { type ByteSink, textOf } from './byte-sink.ts';
import type { Format } from './format.ts';
import { type CellStyle, type RowWriter, rowWriter } from './row-bytes.ts';
import { textBody, writeRows } from './write-rows.ts';

const STYLE: CellStyle = {
  nullText: textOf('null'),
  string: (value) => JSON.stringify(value),
  array: (json) => json,
  quote: '"',
  exactQuote: '',
};

/** Rows as JSON objects, each followed by a comma. */
export function jsonRowWriter(
  sink: ByteSink,
  columns: readonly Column[],
  zone: TimeZone,
  style = STYLE,
): RowWriter {
  const before = columns.map(({ name }, c) =>
    textOf(`${c === 0 ? '{' : ','}${JSON.stringify(name)}:`),
  );
  return rowWriter(sink, columns, { style, zone }, before, textOf('},'));
}

const BEFORE_ROWS = textOf('{"data":[');

function pageWriter(textFormat: TextFormat, style: CellStyle): Format['write'] {
  return async (source, frame) => {
    const { columns, timeZone, offset, limit } = frame;
    return await textBody(source, textFormat, async (sink) => {
      sink.write(BEFORE_ROWS);
      const rowWriter = jsonRowWriter(sink, columns, timeZone, style);
      const counts = await writeRows(source.rows(), frame, rowWriter);
      // Each row ends with a comma; the last one's is left out.
      if (counts.rowCount > 0) sink.at--;
      const pagination = { offset, limit, next_offset: counts.nextOffset };
      sink.write(textOf(`],"pagination":${JSON.stringify(pagination)}}`));
      return counts;
    });
  };
}

export const JSON_FORMAT: Format = {
  name: 'json',
  contentType: 'application/json',
  fileSuffix: null,
  rowLimits: () => ({ default: 1_000, max: 10_000 }),
  pagination: 'in the body',
  encodings: [],
  isColumnar: false,
  tagStrength: 'strong',
  bodySchema: (page) => page,
  write: pageWriter('json', STYLE),
};

/** JSON of which a program that reads numbers as doubles loses no digit. */
export const EXACT_JSON_FORMAT: Format = {
  ...JSON_FORMAT,
  numbers: 'string',
  write: pageWriter('json_exact', { ...STYLE, exactQuote: '"' }),
};
