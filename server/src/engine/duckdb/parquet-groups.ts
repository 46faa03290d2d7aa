/** The row groups of a Parquet file, out of its footer. Pure. */

import type { GivenRowGroup } from './parquet-assembly.ts';
import { FILE, ROW_GROUP } from './parquet-fields.ts';
import { structsOf } from './parquet-footer.ts';
import { decodeThrift, numberOf, type ThriftScalar } from './thrift-compact.ts';

/** The row groups of a file with the answer's columns, in their order, and no others. */
export function rowGroupsOf(file: string, footer: Buffer): GivenRowGroup[] {
  return structsOf(decodeThrift(footer), FILE.rowGroups).map((group) => ({
    file,
    rowCount: numberOf(group.fields.get(ROW_GROUP.rowCount) as ThriftScalar),
    chunks: structsOf(group, ROW_GROUP.columns),
  }));
}
