/**
 * Row groups of several files -> one file, which has not been written: stretches of the files they
 * lie in, between a first mark and a new footer in memory. Their pages stay as they are. Pure.
 */

import { SERVICE_VERSION } from '../../base/installation.ts';
import type { OpenFile } from '../../base/opened-file.ts';
import type { Stretch } from '../../base/stored-bytes.ts';
import type { FileColumn } from '../file-columns.ts';
import { CHUNK, CHUNK_METADATA, FILE, KEY_VALUE, ROW_GROUP } from './parquet-fields.ts';
import { footerBytes, MAGIC, structOf } from './parquet-footer.ts';
import { columnOrdersOf, leafPath, schemaOf } from './parquet-schema.ts';
import {
  binary,
  int32,
  int64,
  numberOf,
  structList,
  structWith,
  type ThriftScalar,
  type ThriftStruct,
  textList,
  withFields,
} from './thrift-compact.ts';

/** A row group, of which each of the answer's columns has one chunk. */
export interface GivenRowGroup {
  readonly file: string;
  /** Absent: the file is a path. */
  readonly open?: OpenFile;
  readonly rowCount: number;
  /** In the order of the answer's columns, as the file's footer has them. */
  readonly chunks: readonly ThriftStruct[];
}

export interface AssembledFile {
  readonly stretches: readonly Stretch[];
  readonly rowCount: number;
}

interface MovedChunk {
  readonly chunk: ThriftStruct;
  /** Where it has been so far. */
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
function movedChunk(chunk: ThriftStruct, column: FileColumn, position: number): MovedChunk {
  const metadata = structOf(chunk.fields.get(CHUNK.metadata)) as ThriftStruct;
  const [data, dictionary] = [
    fieldOf(metadata, CHUNK_METADATA.dataPageOffset),
    fieldOf(metadata, CHUNK_METADATA.dictionaryPageOffset),
  ];
  const hasDictionary = dictionary > 0 && dictionary < data;
  const start = hasDictionary ? dictionary : data;
  const distance = position - start;
  const moved = withFields(metadata, {
    [CHUNK_METADATA.path]: textList(leafPath(column)),
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
  readonly #columns: readonly FileColumn[];
  readonly #stretches: Stretch[] = [{ bytes: Buffer.from(MAGIC, 'latin1') }];
  readonly #groups: ThriftStruct[] = [];
  #position = MAGIC.length;
  #rowCount = 0;

  constructor(columns: readonly FileColumn[]) {
    this.#columns = columns;
  }

  add(group: GivenRowGroup): void {
    const { rowCount, chunks } = group;
    const fileOffset = this.#position;
    let byteCount = 0;
    const moved = this.#columns.map((column, c) => {
      const chunk = movedChunk(chunks[c] as ThriftStruct, column, this.#position);
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
    this.#rowCount += rowCount;
  }

  finish(metadata: Readonly<Record<string, string>>): AssembledFile {
    const keyValues = Object.entries(metadata).map(([key, value]) =>
      structWith({ [KEY_VALUE.key]: binary(key), [KEY_VALUE.value]: binary(value) }),
    );
    const footer = structWith({
      [FILE.version]: int32(1),
      [FILE.schema]: structList(schemaOf(this.#columns)),
      [FILE.rowCount]: int64(this.#rowCount),
      [FILE.rowGroups]: structList(this.#groups),
      [FILE.keyValues]: structList(keyValues),
      [FILE.createdBy]: binary(`Ticklake version ${SERVICE_VERSION}`),
      [FILE.columnOrders]: structList(columnOrdersOf(this.#columns)),
    });
    const stretches = [...this.#stretches, { bytes: footerBytes(footer) }];
    return { stretches, rowCount: this.#rowCount };
  }

  /** What follows on the bytes before it is one stretch with them. */
  #take({ file, open }: GivenRowGroup, { start, end }: MovedChunk): void {
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
  const assembly = new Assembly(columns);
  for (const group of groups) assembly.add(group);
  return assembly.finish(metadata);
}
