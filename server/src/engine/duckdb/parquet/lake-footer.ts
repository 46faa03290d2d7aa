/** The footer of a partition file, decoded on demand. */
import type { Column, DataType } from '../../../catalog/dataset.ts';
import { dateOfDays } from '../../columns.ts';
import type { BoundValue, ColumnBounds } from '../../part.ts';
import type { GivenRowGroup } from './assembly.ts';
import {
  CHUNK,
  CHUNK_METADATA,
  ELEMENT,
  FILE,
  ROW_GROUP,
  STATISTICS,
  structOf,
  textOf,
} from './footer.ts';
import { schemaOf } from './schema.ts';
import {
  BOOLEAN_TRUE,
  decodeThrift,
  numberOf,
  type ThriftScalar,
  ThriftScanner,
  type ThriftStruct,
} from './thrift.ts';

/** Least and greatest value that is not null, and whether any is null. */
export interface ChunkBounds extends ColumnBounds {
  readonly hasNulls: boolean;
}

/** Years 1 to 9999, whose texts sort like dates. */
const DAYS = { min: -719_162, max: 2_932_896 } as const;

function dateOf(bytes: Buffer): BoundValue | null {
  const days = bytes.readInt32LE();
  return days < DAYS.min || days > DAYS.max ? null : dateOfDays(days);
}

/** How a bound is encoded, of the types whose bounds are told apart without doubt. */
const DECODERS: Readonly<Partial<Record<DataType, (bytes: Buffer) => BoundValue | null>>> = {
  string: (bytes) => bytes.toString(),
  integer: (bytes) => bytes.readBigInt64LE(),
  'date-time': (bytes) => bytes.readBigInt64LE(),
  date: dateOf,
};

function boundOf(
  { fields }: ThriftStruct,
  field: number,
  exactField: number,
  decode: (bytes: Buffer) => BoundValue | null,
): BoundValue | null {
  const bound = fields.get(field) as ThriftScalar | undefined;
  if (!bound || fields.get(exactField)?.type !== BOOLEAN_TRUE) return null;
  return decode(bound.bytes);
}

/** Null where they are not known, or not exactly. */
function chunkBounds({ dataType }: Column, metadata: ThriftStruct): ChunkBounds | null {
  const decode = DECODERS[dataType];
  const statistics = structOf(metadata.fields.get(CHUNK_METADATA.statistics));
  const nulls = statistics?.fields.get(STATISTICS.nullCount) as ThriftScalar | undefined;
  if (!decode || !statistics || !nulls) return null;
  const min = boundOf(statistics, STATISTICS.min, STATISTICS.isMinExact, decode);
  const max = boundOf(statistics, STATISTICS.max, STATISTICS.isMaxExact, decode);
  return min === null || max === null ? null : { min, max, hasNulls: numberOf(nulls) > 0 };
}

/** A row group, and where its rows stand among those of the file. */
interface LakeRowGroup {
  readonly startRow: number;
  /** Exclusive. */
  readonly endRow: number;
  /** Number among the row groups of the file. */
  readonly number: number;
  /** Offset of its list of chunks in the footer. */
  readonly chunksAt: number;
}

/** Fields that decide how values are stored; names, meanings and field ids do not. */
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
  /** Bounds in all groups, for the columns asked for so far. */
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

  /** True if the columns' chunks can be copied into an answer unchanged. */
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
    const bounds = this.#bounds.getOrInsertComputed(column.name, () =>
      this.groups.map((group) => this.#readBounds(group, column)),
    );
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

  /** Offsets of a group's chunks in the footer. */
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
