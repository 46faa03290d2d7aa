/** Datasets of contracts, such as futures, whose symbols begin with the root of their product. */
import type { Column, Dataset } from './dataset.ts';

/** The column that names contracts on trade dates; null if there is none. */
export function contractColumn({
  rootColumn,
  dateColumn,
  universeColumns,
  columnByName,
}: Dataset): Column | null {
  if (rootColumn === null || dateColumn === null || !universeColumns.includes(rootColumn)) {
    return null;
  }
  const [name, ...others] = universeColumns.filter((each) => each !== rootColumn);
  return others.length === 0 ? (columnByName.get(name ?? '') ?? null) : null;
}
