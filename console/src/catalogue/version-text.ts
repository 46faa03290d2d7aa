/** Versions in words. */
import type { DatasetVersion } from '@ticklake/client';
import { countText } from '../format/amounts';

export const KIND_TEXTS: Readonly<Record<DatasetVersion['kind'], string>> = {
  load: 'Load',
  withdrawal: 'Withdrawal',
  rollback: 'Rollback',
  derivation: 'Derivation',
};

/** Null: the account may not read all that would be counted. */
export function rowsText(rows: number | null): string {
  return rows === null ? 'not shown' : countText(rows);
}
