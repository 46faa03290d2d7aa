/** Files of one result, in natural order, put together to one body as they come. */
import { streamOf } from './byte-stream.ts';
import { TicklakeError } from './errors.ts';
import {
  ARROW_END,
  type BytesFormat,
  PREFIX_BYTES,
  requireArrowEnd,
  schemaBytes,
} from './joined-pages.ts';
import type { FileFormat } from './manifest.ts';
import type { RemoteFile } from './remote-file.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Chunks = AsyncGenerator<Bytes>;

/** The format of the files that a body of a format is put together of. */
export const FILES_OF = {
  csv: 'csv_gzip',
  csv_gzip: 'csv_gzip',
  arrow: 'arrow',
  parquet: 'parquet',
} as const satisfies Readonly<Record<BytesFormat, FileFormat>>;

async function* readerOf(stream: ReadableStream<Uint8Array>): Chunks {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      yield next.value as Bytes;
    }
  } finally {
    // Whoever stops early wants no more of it; what it ends with then is told to nobody.
    await reader.cancel().catch(() => undefined);
  }
}

function through(stream: ReadableStream<Uint8Array>, coder: unknown): Chunks {
  return readerOf(stream.pipeThrough(coder as TransformStream<Uint8Array, Uint8Array>));
}

const LINE_END = 10;

async function* withoutHeader(chunks: Chunks): Chunks {
  let isHeader = true;
  for await (const chunk of chunks) {
    const start = isHeader ? chunk.indexOf(LINE_END) + 1 : 0;
    if (isHeader && start === 0) continue;
    isHeader = false;
    if (start < chunk.length) yield chunk.subarray(start);
  }
}

async function* joinedCsv(files: readonly RemoteFile[], header: string): Chunks {
  if (files.length === 0) yield new TextEncoder().encode(header);
  for (const [at, file] of files.entries()) {
    const lines = through(file.stream(), new DecompressionStream('gzip'));
    yield* at === 0 ? lines : withoutHeader(lines);
  }
}

function joined(one: Bytes, other: Bytes): Bytes {
  if (one.length === 0) return other;
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** A stream less its schema, whose bytes may come in several chunks. */
async function* withoutSchema(chunks: Chunks): Chunks {
  let begin: Bytes = new Uint8Array(0);
  let isSchema = true;
  for await (const chunk of chunks) {
    begin = isSchema ? joined(begin, chunk) : chunk;
    if (isSchema) {
      if (begin.length < PREFIX_BYTES || begin.length < schemaBytes(begin)) continue;
      begin = begin.subarray(schemaBytes(begin));
      isSchema = false;
    }
    if (begin.length > 0) yield begin;
  }
}

/** A stream less its end mark. Throws an IntegrityError where it has none. */
async function* withoutEnd(chunks: Chunks): Chunks {
  let held: Bytes = new Uint8Array(0);
  for await (const chunk of chunks) {
    const all = joined(held, chunk);
    const end = Math.max(0, all.length - ARROW_END.length);
    if (end > 0) yield all.subarray(0, end);
    held = all.slice(end);
  }
  requireArrowEnd(held);
}

async function* joinedArrow(files: readonly RemoteFile[]): Chunks {
  for (const [at, file] of files.entries()) {
    const chunks = readerOf(file.stream());
    yield* withoutEnd(at === 0 ? chunks : withoutSchema(chunks));
  }
  yield Uint8Array.from(ARROW_END);
}

/** The footer of a Parquet file is that of one file. */
async function* onlyParquet(files: readonly RemoteFile[]): Chunks {
  const [file, ...others] = files;
  if (others.length > 0) {
    throw new TicklakeError(
      `The rows are ${files.length} Parquet files: read them with files(), or with filters that are one`,
    );
  }
  if (file) yield* readerOf(file.stream());
}

/** Each makes one body of files; the text is the header line, for a result without any. */
const JOINS: Readonly<
  Record<BytesFormat, (files: readonly RemoteFile[], header: string) => Chunks>
> = {
  csv: joinedCsv,
  csv_gzip: (files, header) =>
    through(streamOf(joinedCsv(files, header)), new CompressionStream('gzip')),
  arrow: joinedArrow,
  parquet: onlyParquet,
};

export function joinFiles(
  format: BytesFormat,
  files: readonly RemoteFile[],
  columns: readonly string[],
): Chunks {
  const header = `${columns.map((name) => `"${name}"`).join(',')}\n`;
  return JOINS[format](files, header);
}
