/**
 * What Parquet's own schema has no place for: that times are read by the clock of a market. Readers that are
 * made for Arrow take it from here. Texts are plain ones for them: the file's pages have dictionaries anyway,
 * and readers take far longer to give those out as codes.
 */

import type { QueryPlan } from '../../engine/query-plan.ts';
import { fieldsOf } from './fields.ts';
import { schemaMessage } from './messages.ts';

const KEY = 'ARROW:schema';

/** The schema of the plan's columns, as key-value metadata of a Parquet file. */
export function arrowSchema({
  columns,
  dataset,
}: Pick<QueryPlan, 'columns' | 'dataset'>): Readonly<Record<string, string>> {
  const fields = fieldsOf(columns, dataset.timeZone, false);
  return { [KEY]: schemaMessage(fields, {}).toString('base64') };
}
