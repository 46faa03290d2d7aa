/** Parquet files of one schema -> one file: the pages of each, as they are, before one new footer. */
import { StoredBytes, type Stretch } from '../../base/stored-bytes.ts';
import { LOCAL_FILES } from './local-files.ts';
import { CHUNK, CHUNK_METADATA, FILE, ROW_GROUP } from './parquet-fields.ts';
import {
  footerBytes,
  listWith,
  MAGIC,
  readFooter,
  structOf,
  structsOf,
  TRAILER_BYTES,
} from './parquet-footer.ts';
import {
  decodeThrift,
  encodeThrift,
  int64,
  numberOf,
  structList,
  structWith,
  type ThriftScalar,
  type ThriftStruct,
  withFields,
} from './thrift-compact.ts';

interface GivenFile {
  readonly path: string;
  /** Where its pages end. */
  readonly end: number;
  readonly footer: ThriftStruct;
}

async function givenFile(path: string): Promise<GivenFile> {
  const { footer, fileByteCount } = await readFooter(LOCAL_FILES, path);
  const end = fileByteCount - TRAILER_BYTES - footer.length;
  return { path, end, footer: decodeThrift(footer) };
}

/** The offset in a field, if it names one, so many bytes further on. */
function moved(struct: ThriftStruct, field: number, distance: number) {
  const value = struct.fields.get(field) as ThriftScalar | undefined;
  const offset = value ? numberOf(value) : 0;
  return { [field]: offset > 0 ? int64(offset + distance) : value };
}

/** Indexes and filters beside the pages stay where nobody looks for them. */
function movedChunk(chunk: ThriftStruct, distance: number): ThriftStruct {
  const metadata = structOf(chunk.fields.get(CHUNK.metadata)) as ThriftStruct;
  return structWith({
    [CHUNK.fileOffset]: int64(0),
    [CHUNK.metadata]: withFields(metadata, {
      ...moved(metadata, CHUNK_METADATA.dataPageOffset, distance),
      ...moved(metadata, CHUNK_METADATA.dictionaryPageOffset, distance),
      [CHUNK_METADATA.indexPageOffset]: undefined,
      [CHUNK_METADATA.bloomFilterOffset]: undefined,
      [CHUNK_METADATA.bloomFilterLength]: undefined,
    }),
  });
}

function movedGroup(group: ThriftStruct, distance: number): ThriftStruct {
  const chunks = structsOf(group, ROW_GROUP.columns);
  return withFields(group, {
    [ROW_GROUP.columns]: structList(chunks.map((chunk) => movedChunk(chunk, distance))),
    ...moved(group, ROW_GROUP.fileOffset, distance),
    // Its number in the file, which is another one now, and optional.
    [ROW_GROUP.ordinal]: undefined,
  });
}

function schemaText({ footer }: GivenFile): string {
  const schema = structWith({ [FILE.schema]: footer.fields.get(FILE.schema) });
  return encodeThrift(schema).toString('latin1');
}

/**
 * The rows of the files, one file after the other; at least one. The files have to be there, and stay as
 * they are, until the bytes are read. What the first says of itself beside its rows is said of all. Rejects where
 * schemas differ, or a file is not whole.
 */
export async function joinParquet(paths: readonly string[]): Promise<StoredBytes> {
  const files = await Promise.all(paths.map(givenFile));
  const [first] = files;
  if (!first) throw new Error('there is no file to join');
  const stretches: Stretch[] = [{ bytes: Buffer.from(MAGIC, 'latin1') }];
  const groups: ThriftStruct[] = [];
  let position = MAGIC.length;
  for (const file of files) {
    if (schemaText(file) !== schemaText(first)) {
      throw new Error(`${file.path} has other columns than ${first.path}`);
    }
    const distance = position - MAGIC.length;
    const own = structsOf(file.footer, FILE.rowGroups);
    groups.push(...own.map((group) => movedGroup(group, distance)));
    if (file.end > MAGIC.length) {
      stretches.push({ file: file.path, start: MAGIC.length, end: file.end });
    }
    position = distance + file.end;
  }
  const rowCounts = files.map(({ footer }) =>
    numberOf(footer.fields.get(FILE.rowCount) as ThriftScalar),
  );
  const footer = withFields(first.footer, {
    [FILE.rowGroups]: listWith(first.footer, FILE.rowGroups, groups),
    [FILE.rowCount]: int64(rowCounts.reduce((sum, count) => sum + count, 0)),
  });
  return new StoredBytes([...stretches, { bytes: footerBytes(footer) }]);
}
