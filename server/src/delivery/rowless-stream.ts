/** What Arrow files of a result would be if it had no rows: how a client knows their types when no file is there. */
import type { QueryPlan } from '../engine/query-plan.ts';
import { fieldsOf } from '../formats/arrow/fields.ts';
import { END_OF_STREAM, schemaMessage } from '../formats/arrow/messages.ts';
import { labelsOf } from '../response/page.ts';

/** An Arrow stream of the plan's columns, in base64. */
export function rowlessStream(plan: QueryPlan): string {
  const { columns, dataset } = plan;
  const fields = fieldsOf(columns, dataset.timeZone, dataset.isTimeSeries);
  const stream = Buffer.concat([schemaMessage(fields, labelsOf(plan)), END_OF_STREAM]);
  return stream.toString('base64');
}
