/** Field numbers and enumerations of Parquet's metadata, as its Thrift definition has them. */

export const FILE = {
  version: 1,
  schema: 2,
  rowCount: 3,
  rowGroups: 4,
  keyValues: 5,
  createdBy: 6,
  columnOrders: 7,
} as const;

export const ELEMENT = {
  type: 1,
  typeLength: 2,
  repetition: 3,
  name: 4,
  childCount: 5,
  convertedType: 6,
  scale: 7,
  precision: 8,
  fieldId: 9,
  logicalType: 10,
} as const;

export const ROW_GROUP = {
  columns: 1,
  byteCount: 2,
  rowCount: 3,
  fileOffset: 5,
  compressedByteCount: 6,
  ordinal: 7,
} as const;

export const CHUNK = { fileOffset: 2, metadata: 3 } as const;

export const CHUNK_METADATA = {
  type: 1,
  path: 3,
  byteCount: 6,
  compressedByteCount: 7,
  keyValues: 8,
  dataPageOffset: 9,
  indexPageOffset: 10,
  dictionaryPageOffset: 11,
  statistics: 12,
  bloomFilterOffset: 14,
  bloomFilterLength: 15,
} as const;

export const STATISTICS = {
  nullCount: 3,
  max: 5,
  min: 6,
  isMaxExact: 7,
  isMinExact: 8,
} as const;

export const KEY_VALUE = { key: 1, value: 2 } as const;
export const COLUMN_ORDER = { ofType: 1 } as const;

export const PHYSICAL = {
  boolean: 0,
  int32: 1,
  int64: 2,
  int96: 3,
  double: 5,
  byteArray: 6,
  fixedLengthByteArray: 7,
} as const;

export const REPETITION = { required: 0, optional: 1, repeated: 2 } as const;
export const CONVERTED = { utf8: 0, list: 3, decimal: 5, date: 6, timestampMicros: 10 } as const;
export const LOGICAL = { string: 1, list: 3, decimal: 5, date: 6, timestamp: 8 } as const;
export const DECIMAL = { scale: 1, precision: 2 } as const;
export const TIMESTAMP = { isUtc: 1, unit: 2 } as const;
export const UNIT = { micros: 2, nanos: 3 } as const;
