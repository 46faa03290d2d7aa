/**
 * Rows of a plan that asks for adjusted rows as of a date or by some of the events: the raw rows are read within the
 * same plan, rules and version, and restated on their way to the renderer, so that engines know nothing of it.
 */
import { type ColumnBatch, dateOfDays, takeRows } from '../engine/columns.ts';
import type { EngineReader } from '../engine/engine.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';
import type { MadeWalks } from '../engine/made-walks.ts';
import type { QueryPlan, Restatement } from '../engine/query-plan.ts';
import { columnOf } from '../plan/conditions.ts';
import { EVERY_ROW } from '../plan/plan-bulk.ts';
import type { Restating } from './factor-events.ts';
import type { FactorTables } from './factor-tables.ts';
import {
  isFactorColumn,
  ROW_KEYS,
  restateBatch,
  type VectorAt,
  vectorsOf,
} from './restate-batch.ts';

export type RowReader = Pick<EngineReader, 'scan'>;

/** What rows are restated with. */
export interface RestatingTools {
  readonly engine: RowReader;
  readonly factorTables: FactorTables;
  readonly madeWalks: MadeWalks;
}

type RestatingPlan = QueryPlan & { readonly restatement: Restatement };

function isRestating(plan: QueryPlan): plan is RestatingPlan {
  return plan.restatement !== undefined;
}

/** The plan of the rows as they were traded, past so many of them. */
function rawPlan({ restatement: { raw }, ...plan }: RestatingPlan, offset: number): QueryPlan {
  const asked = plan.columns.map(({ name }) => name).filter((name) => !isFactorColumn(name));
  const names = [...new Set([...asked, ...Object.values(ROW_KEYS)])];
  const columns = names.map((name) => columnOf(raw, name));
  return { ...plan, dataset: raw, columns, sort: [], offset, limit: EVERY_ROW - offset };
}

/** The rows whose factors are known, by their numbers; null: all of them. */
function clearRows(
  { rowCount }: ColumnBatch,
  vectorAt: VectorAt,
  restating: Restating,
): number[] | null {
  const asids = vectorAt(ROW_KEYS.asid);
  if (!('nulls' in asids) || asids.nulls === null) return null;
  const { nulls } = asids;
  const dayOf = doubleReader(vectorAt(ROW_KEYS.date));
  const tickerOf = textReader(vectorAt(ROW_KEYS.ticker));
  const rows = Array.from({ length: rowCount }, (_, row) => row);
  return rows.filter((row) => {
    const ticker = nulls[row] ? tickerOf(row) : null;
    return ticker === null || !restating.isUnclear(ticker, dateOfDays(dayOf(row)));
  });
}

/** Cuts a stream of batches down to a page: passes over `offset` rows, and then takes as many as `count`. */
class PageCut {
  #offset: number;
  #left: number;

  constructor(offset: number, count: number) {
    this.#offset = offset;
    this.#left = count;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  /** The numbers of the next so many rows that are on the page, from the first up to, not with, the last. */
  take(rowCount: number): readonly [number, number] {
    const first = Math.min(this.#offset, rowCount);
    const end = Math.min(first + this.#left, rowCount);
    this.#offset -= first;
    this.#left -= end - first;
    return [first, end];
  }
}

/** The rows of the batch that are clear and on the page. */
function pageRows(batch: ColumnBatch, clear: number[] | null, cut: PageCut): ColumnBatch {
  const [first, end] = cut.take(clear?.length ?? batch.rowCount);
  if (clear) return takeRows(batch, clear.slice(first, end));
  if (end - first === batch.rowCount) return batch;
  return takeRows(
    batch,
    Array.from({ length: end - first }, (_, at) => first + at),
  );
}

/** The row of a batch that has the number among those that are clear. */
function rowAt(clear: number[] | null, number: number): number {
  return clear === null ? number : (clear[number] as number);
}

async function* restatedRows(
  { engine, factorTables, madeWalks }: RestatingTools,
  plan: RestatingPlan,
  signal: AbortSignal,
): AsyncGenerator<ColumnBatch> {
  const { restatement, columns, offset, limit } = plan;
  const events = await factorTables.read(engine, restatement.factors, signal);
  const restating = events.restating(restatement);
  const walk = madeWalks.of(plan);
  let { ordinal, source } = walk.before(offset);
  const raw = rawPlan(plan, source);
  const names = raw.columns.map(({ name }) => name);
  const cut = new PageCut(offset - ordinal, limit + 1);
  for await (const batch of engine.scan(raw, signal)) {
    const clear = clearRows(batch, vectorsOf(names, batch), restating);
    walk.add({ ordinal, source });
    const clearCount = clear?.length ?? batch.rowCount;
    const next = offset + limit - ordinal;
    if (next < clearCount) {
      walk.add({ ordinal: offset + limit, source: source + rowAt(clear, next) });
    }
    ordinal += clearCount;
    source += batch.rowCount;
    const rows = pageRows(batch, clear, cut);
    if (rows.rowCount > 0) {
      const restated = restateBatch(columns, rows.rowCount, vectorsOf(names, rows), restating);
      yield batch.release ? { ...restated, release: () => batch.release?.() } : restated;
    } else batch.release?.();
    if (cut.isDone) return;
  }
}

/** The engine, which restates the rows of plans that say so. It yields them in natural order. */
export function restatingReader(tools: RestatingTools): RowReader {
  return {
    scan: (plan, signal) =>
      isRestating(plan) ? restatedRows(tools, plan, signal) : tools.engine.scan(plan, signal),
  };
}
