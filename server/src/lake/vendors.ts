/** Who a dataset's rows come from. Pure. */
import type { IndexedPart } from '../store/lake-index.ts';

/** The vendors of all parts, those of most rows first, then by name. */
export function vendorsByRows(
  parts: readonly Pick<IndexedPart, 'vendors' | 'rowCount'>[],
): string[] {
  const rowCounts = new Map<string, number>();
  for (const { vendors, rowCount } of parts) {
    for (const vendor of vendors) {
      rowCounts.set(vendor, (rowCounts.get(vendor) ?? 0) + rowCount);
    }
  }
  return [...rowCounts]
    .sort(([a, aRows], [b, bRows]) => bRows - aRows || (a < b ? -1 : 1))
    .map(([vendor]) => vendor);
}
