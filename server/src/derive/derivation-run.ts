/** The state that the datasets of one derivation share, and its warnings. */
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { Lake } from '../lake/lake.ts';
import type { OpenPublication } from '../lake/publication.ts';
import type { InputRows } from './input-rows.ts';
import type { LoadedRows } from './loaded-rows.ts';
import type { WorkPool } from './work-pool.ts';

export interface DerivationChoice {
  /** Null: all dates that the inputs have. */
  readonly dates: DateSpan | null;
  /** Only what was never computed, or from something else than there is now. */
  readonly isStaleOnly: boolean;
  /** Computed rows take the place of loaded ones, too. */
  readonly replacesLoaded: boolean;
  /** Loaded rows may go even if their identifiers have no computed rows on the day. */
  readonly allowsLoss?: boolean;
}

export interface DerivationRun extends DerivationChoice {
  readonly catalog: Catalog;
  readonly lake: Lake;
  readonly publication: OpenPublication;
  readonly rows: InputRows;
  readonly loaded: LoadedRows;
  /** Datasets that the publication makes a version of, by id. */
  readonly written: Set<string>;
  readonly pool: WorkPool;
  readonly signal: AbortSignal;
  /** Called before each slice: of which dataset, and how much of it is done. */
  readonly onSlice: (dataset: Dataset, done: number, total: number) => void;
}

const WARNINGS_MAX = 1000;
/** Kept for each dataset: some may be left out later, as repetitions of those of another one. */
const GATHERED_MAX = 10_000;

/** Warnings of a dataset, each text once. */
export class Warnings {
  readonly #texts = new Set<string>();

  readonly add = (text: string): void => {
    if (this.#texts.size < GATHERED_MAX) this.#texts.add(text);
  };

  get texts(): readonly string[] {
    return [...this.#texts];
  }
}

/** The reports with each warning once, in the first dataset that has it. */
export function withoutRepetitions<T extends { readonly warnings: readonly string[] }>(
  reports: readonly T[],
): T[] {
  const known = new Set<string>();
  return reports.map((report) => {
    const own = report.warnings.filter((text) => !known.has(text));
    const warnings = own.slice(0, WARNINGS_MAX);
    for (const text of warnings) known.add(text);
    return { ...report, warnings };
  });
}
