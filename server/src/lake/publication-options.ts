/** The ways in which rows take their place among those that are published. */
import { UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { RemovedRows } from '../engine/engine.ts';
import type { CommittedVersion } from '../store/lake-index.ts';
import type { PublicationKind } from '../store/publications.ts';

const PUBLISH_MODES = [
  'replace-dates',
  'replace',
  'replace-identifiers',
  'append',
  'replace-all',
] as const;
/**
 * `replace-dates`: the dates that the rows have are replaced, others stay. `replace`: the same of
 * the partitions that they fall into. `replace-identifiers`: in these partitions the rows of the
 * identifiers are replaced that the new ones have. `append`: the rows are merged into them, behind
 * the rows of equal keys. `replace-all`: other partitions are dropped.
 */
export type PublishMode = (typeof PUBLISH_MODES)[number];

/** The default mode of loads: lists and events in one file are replaced whole. */
export function defaultMode({
  dateColumn,
  partitioning,
  isTimeSeries,
}: Pick<Dataset, 'dateColumn' | 'partitioning' | 'isTimeSeries'>): 'replace-dates' | 'replace' {
  const isByDate = dateColumn !== null && (isTimeSeries || partitioning.unit !== 'whole');
  return isByDate ? 'replace-dates' : 'replace';
}

const REMOVED: Readonly<Record<PublishMode, RemovedRows | null>> = {
  'replace-dates': { dates: 'staged', identifiers: null },
  replace: null,
  'replace-identifiers': { dates: null, identifiers: 'staged' },
  append: { dates: null, identifiers: [] },
  'replace-all': null,
};

/** How rows take their place in a dataset. */
export interface Placing {
  readonly dataset: Dataset;
  readonly mode: PublishMode;
  /** Which rows do not stay of the partitions that are written; absent: as `mode` says. */
  readonly removed?: RemovedRows | undefined;
}

/** Which rows do not stay of a partition that is written; null: none stays. */
export function removedOf({ dataset, mode, removed }: Placing): RemovedRows | null {
  const { dateColumn, partitioning } = dataset;
  const isOfOneDate = partitioning.unit === 'day' && partitioning.column === dateColumn;
  const isWhole = mode === 'replace-dates' && (isOfOneDate || dateColumn === null);
  return removed ?? (isWhole ? null : REMOVED[mode]);
}

/** How a publication waits for another one to end. */
export interface PublicationWait {
  /** 10 minutes by default. */
  readonly waitMs?: number | undefined;
  /** Called once if another publication is under way and has to be waited for. */
  readonly onWait?: (() => void) | undefined;
  /** Aborting it ends the wait; what stops the writing is the writer's own signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Another process publishes, and went on for longer than one wanted to wait. */
export class PublisherBusy extends UsageError {
  constructor(directory: string) {
    super(`another process is still publishing into ${directory}; try later`);
    this.name = 'PublisherBusy';
  }
}

/** Recorded in the ledger when a publication begins. */
export interface PublicationOptions extends PublicationWait {
  /**
   * The open publication to write into, which the other fields do not change; absent or null: a new
   * one.
   */
  readonly into?: number | null | undefined;
  /** The datasets that may be changed. */
  readonly datasets: readonly Pick<Dataset, 'datasetId'>[];
  /** The command that publishes, such as `ingest`. */
  readonly command: string;
  /** A load by default. */
  readonly kind?: PublicationKind | undefined;
  readonly actor?: string | undefined;
  readonly reason?: string | null | undefined;
  readonly vendor?: string | null | undefined;
}

/** A publication that changes what is there, without rows of its own. */
export type ChangeOptions = Omit<PublicationOptions, 'into' | 'datasets' | 'command' | 'kind'>;

/** A rollback or withdrawal that is done. */
export interface ChangeReport {
  readonly publicationId: number;
  /** The versions that it made; none where there was nothing to change. */
  readonly versions: readonly CommittedVersion[];
}
