/** What the footer of a partition file says, decoded where it is asked for. */
import type { Column } from '../../catalog/dataset.ts';
import { type ChunkBounds, chunkBounds } from './chunk-bounds.ts';
import type { GivenRowGroup } from './parquet-assembly.ts';
import { CHUNK, ELEMENT, FILE, ROW_GROUP } from './parquet-fields.ts';
import { structOf, textOf } from './parquet-footer.ts';
import { schemaOf } from './parquet-schema.ts';
import { decodeThrift, numberOf, type ThriftScalar, type ThriftStruct } from './thrift-compact.ts';
import { ThriftScanner } from './thrift-scanner.ts';

/** A row group, and where its rows stand among those of the file. */
export interface LakeRowGroup {
  readonly startRow: number;
  /** Exclusive. */
  readonly endRow: number;
  /** Number among the row groups of the file. */
  readonly number: number;
  /** Where the list of its chunks begins in the footer. */
  readonly chunksAt: number;
}

/** What decides how values are stored; names, meanings and field ids do not. */
const STORAGE_FIELDS = [ELEMENT.type, ELEMENT.typeLength, ELEMENT.repetition, ELEMENT.childCount];

function storageOf({ fields }: ThriftStruct): string {
  const numbers = STORAGE_FIELDS.map((field) => fields.get(field) as ThriftScalar | undefined);
  return numbers.map((number) => (number ? numberOf(number) : '')).join(',');
}

interface StoredColumn {
  /** Number of its chunk in each row group. */
  readonly leaf: number;
  /** How its elements, the first of which is itself, are stored. */
  readonly storage: string;
}

/** The columns by their names; each has one chunk. */
function storedColumns(schema: readonly ThriftStruct[]): Map<string, StoredColumn> {
  const columns = new Map<string, StoredColumn>();
  let elements: ThriftStruct[] = [];
  const [, ...others] = schema;
  for (const element of others) {
    elements.push(element);
    if (!element.fields.has(ELEMENT.type)) continue;
    const name = textOf(elements[0]?.fields.get(ELEMENT.name));
    columns.set(name, { leaf: columns.size, storage: elements.map(storageOf).join(' ') });
    elements = [];
  }
  return columns;
}

export class LakeFooter {
  readonly groups: readonly LakeRowGroup[];
  readonly fileByteCount: number;
  readonly #file: string;
  readonly #bytes: Buffer;
  readonly #columns: ReadonlyMap<string, StoredColumn>;
  /** Of all groups, for the columns that were asked for. */
  readonly #bounds = new Map<string, readonly (ChunkBounds | null)[]>();

  /** Throws where the encoded footer of the file cannot be decoded. */
  constructor(file: string, fileByteCount: number, bytes: Buffer) {
    this.#file = file;
    this.fileByteCount = fileByteCount;
    this.#bytes = bytes;
    const groups: LakeRowGroup[] = [];
    const schema: ThriftStruct[] = [];
    const scanner = new ThriftScanner(bytes);
    scanner.struct((field) => {
      if (field === FILE.schema) this.#readSchema(scanner, schema);
      else if (field === FILE.rowGroups) readGroups(scanner, groups);
      else return false;
      return true;
    });
    this.groups = groups;
    this.#columns = storedColumns(schema);
  }

  get byteCount(): number {
    return this.#bytes.length;
  }

  get rowCount(): number {
    return this.groups.at(-1)?.endRow ?? 0;
  }

  /** Whether the chunks of the columns can stand in an answer as they are. */
  canGive(columns: readonly Column[]): boolean {
    return columns.every((column) => {
      const [, ...elements] = schemaOf([column]);
      return this.#columns.get(column.name)?.storage === elements.map(storageOf).join(' ');
    });
  }

  /** The chunks of the columns, of which it has to have each. */
  give(group: LakeRowGroup, columns: readonly Column[]): GivenRowGroup {
    const at = this.#chunkOffsets(group);
    const chunks = columns.map(({ name }) =>
      this.#chunk(at[(this.#columns.get(name) as StoredColumn).leaf] as number),
    );
    return { file: this.#file, rowCount: group.endRow - group.startRow, chunks };
  }

  /** The bounds of a column in a group; null where they are not known. */
  bounds({ number }: LakeRowGroup, column: Column): ChunkBounds | null {
    let bounds = this.#bounds.get(column.name);
    if (!bounds) {
      bounds = this.groups.map((group) => this.#readBounds(group, column));
      this.#bounds.set(column.name, bounds);
    }
    return bounds[number] ?? null;
  }

  #readBounds(group: LakeRowGroup, column: Column): ChunkBounds | null {
    const stored = this.#columns.get(column.name);
    if (!stored) return null;
    const chunk = this.#chunk(this.#chunkOffsets(group)[stored.leaf] as number);
    const metadata = structOf(chunk.fields.get(CHUNK.metadata));
    return metadata && chunkBounds(column, metadata);
  }

  #readSchema(scanner: ThriftScanner, schema: ThriftStruct[]): void {
    scanner.structs(() => {
      schema.push(this.#chunk(scanner.at));
      scanner.skipStruct();
    });
  }

  #chunk(at: number): ThriftStruct {
    return decodeThrift(this.#bytes.subarray(at));
  }

  /** Where the chunks of a group begin in the footer. */
  #chunkOffsets({ chunksAt }: LakeRowGroup): number[] {
    const offsets: number[] = [];
    const scanner = new ThriftScanner(this.#bytes, chunksAt);
    scanner.structs(() => {
      offsets.push(scanner.at);
      scanner.skipStruct();
    });
    return offsets;
  }
}

function readGroups(scanner: ThriftScanner, groups: LakeRowGroup[]): void {
  scanner.structs(() => {
    const startRow = groups.at(-1)?.endRow ?? 0;
    let chunksAt = 0;
    let rowCount = 0;
    scanner.struct((field) => {
      if (field === ROW_GROUP.columns) chunksAt = scanner.at;
      if (field !== ROW_GROUP.rowCount) return false;
      rowCount = scanner.number();
      return true;
    });
    groups.push({ startRow, endRow: startRow + rowCount, number: groups.length, chunksAt });
  });
}
