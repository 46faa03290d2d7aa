/** Whether rows that came as values, and not as text, keep the rules of their dataset's rows. */

import { UsageError } from '../../base/errors.ts';
import type { Dataset } from '../../catalog/dataset.ts';
import { rowRule } from './load-file-rules.ts';
import { quoteName } from './sql-text.ts';
import type { StageTable } from './stage-table.ts';

/** Throws a `UsageError` that tells the first value found that breaks a rule. */
export async function requireRowRules(
  { connection, name }: StageTable,
  dataset: Dataset,
): Promise<void> {
  const { columns, textId } = dataset;
  const values = columns.map((column, c) => `${quoteName(column.name)} AS value${c}`);
  const texts = columns.map((_, c) => `CAST(value${c} AS VARCHAR)`);
  for (const [c, column] of columns.entries()) {
    const rule = rowRule(dataset, columns, c);
    if (!rule) continue;
    const reader = await connection.runAndReadAll(
      `SELECT ${texts.join(', ')} FROM (SELECT ${values.join(', ')} FROM ${name})
       WHERE (${rule.holds}) IS FALSE LIMIT 1`,
    );
    const [row] = reader.getRows() as (string | null)[][];
    if (!row) continue;
    throw new UsageError(
      `${textId}: ${column.name} ${JSON.stringify(row[c])} is not ${rule.accepts(row)}`,
    );
  }
}
