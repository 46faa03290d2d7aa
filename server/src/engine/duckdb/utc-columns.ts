/**
 * How partition files keep times. Any tool has to see that they are UTC, so Parquet's mark says so.
 * The engine would read marked nanoseconds as microseconds and lose digits, so each time column has
 * a twin, which the engine reads: plain integers under another name. Both are the same pages, which
 * the footer lists twice.
 */
import type { Column } from '../../catalog/dataset.ts';
import {
  CHUNK,
  CHUNK_METADATA,
  ELEMENT,
  FILE,
  listWith,
  ROW_GROUP,
  structOf,
  structsOf,
  textOf,
  utcMark,
  withUtcMark,
} from './parquet/footer.ts';
import {
  binary,
  int32,
  numberOf,
  type ThriftScalar,
  type ThriftStruct,
  type ThriftValue,
  withFields,
} from './parquet/thrift.ts';
import { quoteName } from './sql-text.ts';

const SUFFIX = '_utc_ns';

/** The column of a partition file that the engine reads a column's values from. */
export function storedName({ name, dataType }: Pick<Column, 'name' | 'dataType'>): string {
  return dataType === 'date-time' ? name + SUFFIX : name;
}

/** `storedName` as SQL. */
export function storedSql(column: Pick<Column, 'name' | 'dataType'>): string {
  return quoteName(storedName(column));
}

/** True if a column of a partition file is the twin of another; `names`: of all columns. */
export function isTwin(name: string, names: readonly string[]): boolean {
  return name.endsWith(SUFFIX) && names.includes(name.slice(0, -SUFFIX.length));
}

function twinElement(element: ThriftStruct): ThriftStruct {
  return withFields(element, {
    [ELEMENT.name]: binary(textOf(element.fields.get(ELEMENT.name)) + SUFFIX),
    [ELEMENT.convertedType]: undefined,
    [ELEMENT.fieldId]: undefined,
    [ELEMENT.logicalType]: undefined,
  });
}

/** A chunk with the same pages under another name. */
function twinChunk(chunk: ThriftStruct, element: ThriftStruct): ThriftStruct {
  const metadata = structOf(chunk.fields.get(CHUNK.metadata)) as ThriftStruct;
  const name = element.fields.get(ELEMENT.name) as ThriftValue;
  const path = listWith(metadata, CHUNK_METADATA.path, [name]);
  return withFields(chunk, {
    [CHUNK.metadata]: withFields(metadata, { [CHUNK_METADATA.path]: path }),
  });
}

/** The root with so many more columns. */
function widerRoot(root: ThriftStruct, addedCount: number): ThriftStruct {
  const count = root.fields.get(ELEMENT.childCount) as ThriftScalar;
  return withFields(root, { [ELEMENT.childCount]: int32(numberOf(count) + addedCount) });
}

/**
 * The footer of a partition file as the engine writes it -> one that marks the times as UTC and
 * lists their twins. A footer that does so, or has no times, is returned as it is.
 */
export function withUtcColumns(footer: ThriftStruct): ThriftStruct {
  const [root, ...elements] = structsOf(footer, FILE.schema) as [ThriftStruct, ...ThriftStruct[]];
  const leaves = elements.filter(({ fields }) => fields.has(ELEMENT.type));
  const names = leaves.map((leaf) => textOf(leaf.fields.get(ELEMENT.name)));
  const isDone = names.some((name) => isTwin(name, names));
  const times = [...leaves.keys()].filter((leaf) => utcMark(leaves[leaf] as ThriftStruct) !== null);
  if (isDone || times.length === 0) return footer;
  const marked = elements.map((each) => (utcMark(each) === null ? each : withUtcMark(each, true)));
  const added = times.map((leaf) => twinElement(leaves[leaf] as ThriftStruct));
  const schema = [widerRoot(root, added.length), ...marked, ...added];
  const rowGroups = structsOf(footer, FILE.rowGroups).map((group) => {
    const chunks = structsOf(group, ROW_GROUP.columns);
    const twins = times.map((leaf, t) => {
      return twinChunk(chunks[leaf] as ThriftStruct, added[t] as ThriftStruct);
    });
    const columns = listWith(group, ROW_GROUP.columns, [...chunks, ...twins]);
    return withFields(group, { [ROW_GROUP.columns]: columns });
  });
  const orders = structsOf(footer, FILE.columnOrders);
  const allOrders = [...orders, ...times.map((leaf) => orders[leaf] as ThriftStruct)];
  return withFields(footer, {
    [FILE.schema]: listWith(footer, FILE.schema, schema),
    [FILE.rowGroups]: listWith(footer, FILE.rowGroups, rowGroups),
    ...(orders.length > 0 && {
      [FILE.columnOrders]: listWith(footer, FILE.columnOrders, allOrders),
    }),
  });
}
