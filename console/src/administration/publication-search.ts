/** Which publications are shown, and how they stand. */
import type { Publication, StatusCode } from '@ticklake/client';
import { STATUS_CODES } from '../catalogue/status-codes';
import { plural } from '../format/amounts';

type Searched = Pick<Publication, 'dataset_id' | 'dataset_name' | 'data_group' | 'status_code'>;

/** Those that hold every word of `text`, of a status unless it is null. */
export function matchingPublications<Row extends Searched>(
  rows: readonly Row[],
  text: string,
  status: StatusCode | null,
): readonly Row[] {
  const words = text.toLowerCase().split(/\s+/);
  return rows.filter((row) => {
    const searched = `${row.dataset_name} ${row.dataset_id} ${row.data_group}`.toLowerCase();
    return (
      (status === null || row.status_code === status) &&
      words.every((word) => searched.includes(word))
    );
  });
}

/** `42 datasets: 40 current, 2 late`. */
export function statusSummary(rows: readonly Pick<Publication, 'status_code'>[]): string {
  const counts = STATUS_CODES.map((code) => ({
    code,
    count: rows.filter(({ status_code }) => status_code === code).length,
  })).filter(({ count }) => count > 0);
  const all = plural(rows.length, 'dataset');
  if (counts.length === 0) return all;
  return `${all}: ${counts.map(({ code, count }) => `${count} ${code}`).join(', ')}`;
}
