/** What the datasets of one derivation share. */
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { Lake } from '../lake/lake.ts';
import type { OpenPublication } from '../lake/publication.ts';
import type { InputRows } from './input-rows.ts';
import type { LoadedRows } from './loaded-rows.ts';
import type { Turns } from './turns.ts';

/** What of the datasets is computed. */
export interface DerivationChoice {
  /** Null: all dates that the inputs have. */
  readonly dates: DateSpan | null;
  /** Only what was never computed, or from something else than there is now. */
  readonly isStaleOnly: boolean;
  /** Computed rows take the place of loaded ones, too. */
  readonly replacesLoaded: boolean;
  /** Loaded rows may go, too, of identifiers that have no computed rows on the day; absent: they may not. */
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
  readonly turns: Turns;
  readonly signal: AbortSignal;
  /** Called before each unit: which one, and how much of the dataset is done. */
  readonly onUnit: (dataset: Dataset, done: number, total: number) => void;
}
