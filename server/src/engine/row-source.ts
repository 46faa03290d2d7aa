/** The rows of a plan, as a format wants them. */
import type { ColumnBatch } from './columns.ts';
import type { EngineReader, ParquetFile, TextFormat, TextPage } from './engine.ts';
import type { TimeForm } from './file-columns.ts';
import type { QueryPlan } from './query-plan.ts';

/** Nothing is read before one of them is asked for. */
export interface RowSource {
  /** As `EngineReader.scan` has them. */
  rows(): AsyncIterable<ColumnBatch>;
  /** As `EngineReader.text` writes it; absent: others do. */
  text?(format: TextFormat): Promise<TextPage | null>;
  /** As `EngineReader.parquet` makes it. */
  parquet(times?: TimeForm): Promise<ParquetFile>;
}

export function rowSource(
  engine: Pick<EngineReader, 'scan' | 'text' | 'parquet'>,
  plan: QueryPlan,
  signal: AbortSignal,
): RowSource {
  return {
    rows: () => engine.scan(plan, signal),
    text: async (format) => (await engine.text?.(plan, format, signal)) ?? null,
    parquet: (times) => engine.parquet(plan, signal, times),
  };
}
