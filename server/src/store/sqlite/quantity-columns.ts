/** The columns that the sums by day have for the quantities of quotas. */
import type { DatabaseSync } from 'node:sqlite';
import { DAY_COLUMNS } from '../usage-sums.ts';
import { transaction } from './database.ts';

function missingColumns(database: DatabaseSync): string[] {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all('usage_day');
  const known = new Set(rows.map(({ name }) => name));
  return DAY_COLUMNS.filter((column) => !known.has(column));
}

/** Adds those of quantities that are newer than the store; their sums begin now. */
export function addQuantityColumns(database: DatabaseSync): void {
  if (missingColumns(database).length === 0) return;
  transaction(database, () => {
    // Read again inside the write lock: another process may have added them meanwhile.
    for (const column of missingColumns(database)) {
      database.exec(`ALTER TABLE usage_day ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0`);
    }
  });
}
