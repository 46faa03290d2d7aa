/**
 * Row groups of several files -> one file, which has not been written: stretches of the files they
 * lie in, between a first mark and a new footer in memory. Their pages stay as they are. Pure.
 */
import { SERVICE_VERSION } from '../../../base/installation.ts';
import { type OpenFile, StoredBytes, type Stretch } from '../../../base/stored-bytes.ts';
import type { FileColumn } from '../../file-columns.ts';
import { LOCAL_FILES } from '../folder-files.ts';
import {
  CHUNK,
  CHUNK_METADATA,
  FILE,
  footerBytes,
  footerOf,
  KEY_VALUE,
  MAGIC,
  ROW_GROUP,
  readFooter,
  structOf,
  structsOf,
} from './footer.ts';
import { columnOrdersOf, leafPath, schemaOf } from './schema.ts';
import {
  binary,
  decodeThrift,
  encodeThrift,
  int32,
  int64,
  numberOf,
  structList,
  structWith,
  type ThriftList,
  type ThriftScalar,
  type ThriftStruct,
  textList,
  withFields,
} from './thrift.ts';

/** A row group, of which each of the answer's columns has one chunk. */
export interface GivenRowGroup {
  readonly file: string;
  /** Absent: the file is a path. */
  readonly open?: OpenFile;
  readonly rowCount: number;
  /** In the order of the answer's columns, as the file's footer has them. */
  readonly chunks: readonly ThriftStruct[];
}

interface AssembledFile {
  readonly stretches: readonly Stretch[];
  readonly rowCount: number;
}

interface MovedChunk {
  readonly chunk: ThriftStruct;
  /** Offsets in the file it comes from. */
  readonly start: number;
  readonly end: number;
  /** Bytes of its pages before compression. */
  readonly byteCount: number;
}

function fieldOf(struct: ThriftStruct, field: number): number {
  const value = struct.fields.get(field) as ThriftScalar | undefined;
  return value ? numberOf(value) : 0;
}

/** A chunk whose pages begin at `position`. Indexes and filters beside the pages stay behind. */
function movedChunk(
  chunk: ThriftStruct,
  path: ThriftList | undefined,
  position: number,
): MovedChunk {
  const metadata = structOf(chunk.fields.get(CHUNK.metadata)) as ThriftStruct;
  const [data, dictionary] = [
    fieldOf(metadata, CHUNK_METADATA.dataPageOffset),
    fieldOf(metadata, CHUNK_METADATA.dictionaryPageOffset),
  ];
  const hasDictionary = dictionary > 0 && dictionary < data;
  const start = hasDictionary ? dictionary : data;
  const distance = position - start;
  const moved = withFields(metadata, {
    ...(path && { [CHUNK_METADATA.path]: path }),
    [CHUNK_METADATA.keyValues]: undefined,
    [CHUNK_METADATA.dataPageOffset]: int64(data + distance),
    [CHUNK_METADATA.indexPageOffset]: undefined,
    [CHUNK_METADATA.dictionaryPageOffset]: hasDictionary ? int64(dictionary + distance) : undefined,
    [CHUNK_METADATA.bloomFilterOffset]: undefined,
    [CHUNK_METADATA.bloomFilterLength]: undefined,
  });
  return {
    chunk: structWith({ [CHUNK.fileOffset]: int64(0), [CHUNK.metadata]: moved }),
    start,
    end: start + fieldOf(metadata, CHUNK_METADATA.compressedByteCount),
    byteCount: fieldOf(metadata, CHUNK_METADATA.byteCount),
  };
}

class Assembly {
  /** Paths of the answer's columns; null keeps those of the chunks. */
  readonly #paths: readonly ThriftList[] | null;
  readonly #stretches: Stretch[] = [{ bytes: Buffer.from(MAGIC, 'latin1') }];
  readonly #groups: ThriftStruct[] = [];
  readonly #given: GivenRowGroup[] = [];
  #position = MAGIC.length;
  #rowCount = 0;

  constructor(paths: readonly ThriftList[] | null) {
    this.#paths = paths;
  }

  add(group: GivenRowGroup): void {
    const { rowCount, chunks } = group;
    const fileOffset = this.#position;
    let byteCount = 0;
    const moved = chunks.map((each, c) => {
      const chunk = movedChunk(each, this.#paths?.[c], this.#position);
      this.#take(group, chunk);
      byteCount += chunk.byteCount;
      return chunk.chunk;
    });
    this.#groups.push(
      structWith({
        [ROW_GROUP.columns]: structList(moved),
        [ROW_GROUP.byteCount]: int64(byteCount),
        [ROW_GROUP.rowCount]: int64(rowCount),
        [ROW_GROUP.fileOffset]: int64(fileOffset),
        [ROW_GROUP.compressedByteCount]: int64(this.#position - fileOffset),
      }),
    );
    this.#given.push(group);
    this.#rowCount += rowCount;
  }

  /** Puts the Bloom filters of all row groups behind their pages, as the engine does. */
  addFilters(): void {
    for (const [g, given] of this.#given.entries()) {
      const group = this.#groups[g] as ThriftStruct;
      const chunks = structsOf(group, ROW_GROUP.columns).map((chunk, c) =>
        this.#withFilter(chunk, given, given.chunks[c] as ThriftStruct),
      );
      this.#groups[g] = withFields(group, { [ROW_GROUP.columns]: structList(chunks) });
    }
  }

  #withFilter(chunk: ThriftStruct, given: GivenRowGroup, source: ThriftStruct): ThriftStruct {
    const found = structOf(source.fields.get(CHUNK.metadata)) as ThriftStruct;
    const start = fieldOf(found, CHUNK_METADATA.bloomFilterOffset);
    const byteCount = fieldOf(found, CHUNK_METADATA.bloomFilterLength);
    if (byteCount === 0) return chunk;
    const metadata = withFields(structOf(chunk.fields.get(CHUNK.metadata)) as ThriftStruct, {
      [CHUNK_METADATA.bloomFilterOffset]: int64(this.#position),
      [CHUNK_METADATA.bloomFilterLength]: found.fields.get(CHUNK_METADATA.bloomFilterLength),
    });
    this.#take(given, { start, end: start + byteCount });
    return withFields(chunk, { [CHUNK.metadata]: metadata });
  }

  /** `footer` says all but the rows. */
  finish(footer: ThriftStruct): AssembledFile {
    const whole = withFields(footer, {
      [FILE.rowCount]: int64(this.#rowCount),
      [FILE.rowGroups]: structList(this.#groups),
    });
    const stretches = [...this.#stretches, { bytes: footerBytes(whole) }];
    return { stretches, rowCount: this.#rowCount };
  }

  /** Joins bytes that directly follow the previous stretch. */
  #take({ file, open }: GivenRowGroup, { start, end }: Pick<MovedChunk, 'start' | 'end'>): void {
    this.#position += end - start;
    const last = this.#stretches.at(-1);
    if (last && 'file' in last && last.file === file && last.end === start) {
      this.#stretches[this.#stretches.length - 1] = { ...last, end };
    } else this.#stretches.push({ file, start, end, open });
  }
}

/** The row groups in their order, with key-value metadata. */
export function assembleFile(
  columns: readonly FileColumn[],
  groups: readonly GivenRowGroup[],
  metadata: Readonly<Record<string, string>>,
): AssembledFile {
  const assembly = new Assembly(columns.map((column) => textList(leafPath(column))));
  for (const group of groups) assembly.add(group);
  const keyValues = Object.entries(metadata).map(([key, value]) =>
    structWith({ [KEY_VALUE.key]: binary(key), [KEY_VALUE.value]: binary(value) }),
  );
  return assembly.finish(
    structWith({
      [FILE.version]: int32(1),
      [FILE.schema]: structList(schemaOf(columns)),
      [FILE.keyValues]: structList(keyValues),
      [FILE.createdBy]: binary(`Ticklake version ${SERVICE_VERSION}`),
      [FILE.columnOrders]: structList(columnOrdersOf(columns)),
    }),
  );
}

/** The row groups of a file, in their order. */
export function rowGroupsOf(file: string, footer: ThriftStruct): GivenRowGroup[] {
  return structsOf(footer, FILE.rowGroups).map((group) => ({
    file,
    rowCount: numberOf(group.fields.get(ROW_GROUP.rowCount) as ThriftScalar),
    chunks: structsOf(group, ROW_GROUP.columns),
  }));
}

/** The rows of a file in memory. */
export function parquetRowCount(file: Buffer): number {
  const { fields } = decodeThrift(footerOf(file));
  return numberOf(fields.get(FILE.rowCount) as ThriftScalar);
}

function schemaText(footer: ThriftStruct): string {
  const schema = structWith({ [FILE.schema]: footer.fields.get(FILE.schema) });
  return encodeThrift(schema).toString('latin1');
}

/**
 * The rows of Parquet files of one schema, one file after the other; at least one. The files have
 * to stay as they are until the bytes are read. What the first one says of itself beside its rows
 * is said of all. `keepsFilters`: with the Bloom filters of their columns. Rejects if schemas
 * differ, or a file is not whole.
 */
export async function joinParquet(
  paths: readonly string[],
  keepsFilters = false,
): Promise<StoredBytes> {
  const assembly = new Assembly(null);
  const footers: ThriftStruct[] = [];
  for (const path of paths) {
    const footer = decodeThrift((await readFooter(LOCAL_FILES, path)).footer);
    footers.push(footer);
    const [first = footer] = footers;
    if (schemaText(footer) !== schemaText(first)) {
      throw new Error(`${path} has other columns than ${paths[0]}`);
    }
    for (const group of rowGroupsOf(path, footer)) assembly.add(group);
  }
  const [first] = footers;
  if (!first) throw new Error('there is no file to join');
  if (keepsFilters) assembly.addFilters();
  return new StoredBytes(assembly.finish(first).stretches);
}
