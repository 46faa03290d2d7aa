/** The stored bars of one session of the trading day. */
import { keepsEveningDate, type SessionName } from '@ticklake/market/sessions.ts';
import type { RowReader } from '../adjustments/restated-reader.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { chosenRows } from '../engine/chosen-rows.ts';
import { type ColumnBatch, type ColumnVector, cellAt } from '../engine/columns.ts';
import { walkFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { WalkPositions } from '../engine/walk-positions.ts';
import { columnOf } from '../plan/conditions.ts';
import { EVERY_ROW } from '../plan/plan-bulk.ts';
import { lastKept, momentOf, spansOn } from './bar-clock.ts';

function rowsInSession(dataset: Dataset, session: SessionName) {
  // Rows of an evening may have its date, and their session that of the next day.
  const daysAhead = keepsEveningDate(dataset.sessions) ? [0, 1] : [0];
  const spansOf = lastKept((date: number) =>
    daysAhead.flatMap((ahead) =>
      spansOn(dataset, date + ahead)
        .filter(({ name }) => name === session)
        .map(({ startNanos, endNanos }) => ({
          start: momentOf(dataset, date + ahead, startNanos),
          end: momentOf(dataset, date + ahead, endNanos),
        })),
    ),
  );
  const isIn = (date: number, timeNanos: bigint) =>
    spansOf(date).some(({ start, end }) => timeNanos >= start && timeNanos < end);
  return ({ rowCount }: ColumnBatch, dates: ColumnVector, times: ColumnVector) => {
    const chosen: number[] = [];
    for (let row = 0; row < rowCount; row++) {
      const [date, time] = [cellAt(dates, row), cellAt(times, row)];
      if (date !== null && time !== null && isIn(date as number, time as bigint)) chosen.push(row);
    }
    return chosen.length === rowCount ? null : chosen;
  };
}

function sessionRows(
  reader: RowReader,
  plan: QueryPlan,
  session: SessionName,
  madeWalks: WalkPositions,
  signal: AbortSignal,
): AsyncIterable<ColumnBatch> {
  const { dataset, columns: asked } = plan;
  const keys = [dataset.dateColumn ?? '', dataset.intervals?.time ?? ''];
  const columns = [...new Set([...asked, ...keys.map((name) => columnOf(dataset, name))])];
  const [date, time] = keys.map((key) => columns.findIndex(({ name }) => name === key));
  const { session: _, ...unfiltered } = plan;
  const chosen = rowsInSession(dataset, session);
  const vectorAt = (batch: ColumnBatch, at = -1) => batch.columns[at] as ColumnVector;
  return chosenRows(plan, madeWalks.of(walkFingerprint(plan)), (source) => ({
    batches: reader.scan(
      { ...unfiltered, columns, sort: [], offset: source, limit: EVERY_ROW - source },
      signal,
    ),
    choose: (batch) => chosen(batch, vectorAt(batch, date), vectorAt(batch, time)),
    made: (rows) => ({ ...rows, columns: rows.columns.slice(0, asked.length) }),
  }));
}

/** A reader that leaves out rows of other sessions, for plans that say so. */
export function sessionReader(reader: RowReader, madeWalks: WalkPositions): RowReader {
  return {
    scan: (plan, signal) =>
      plan.session === undefined
        ? reader.scan(plan, signal)
        : sessionRows(reader, plan, plan.session, madeWalks, signal),
  };
}
