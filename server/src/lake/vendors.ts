/** Who a dataset's rows come from. Pure. */
import type { IndexedPartition } from '../store/sqlite/lake-index.ts';

/** The vendors of all partitions, those of most rows first, then by name. */
export function vendorsByRows(
  partitions: readonly Pick<IndexedPartition, 'vendors' | 'rowCount'>[],
): string[] {
  const rowCounts = new Map<string, number>();
  for (const { vendors, rowCount } of partitions) {
    for (const vendor of vendors) {
      rowCounts.set(vendor, (rowCounts.get(vendor) ?? 0) + rowCount);
    }
  }
  return [...rowCounts]
    .sort(([a, aRows], [b, bRows]) => bRows - aRows || (a < b ? -1 : 1))
    .map(([vendor]) => vendor);
}
