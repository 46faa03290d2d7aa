/** How publications are begun, how they wait for each other, and what they come to. */
import { UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { CommittedVersion } from '../store/lake-index.ts';
import type { PublicationKind } from '../store/publications.ts';

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

/** What the ledger is told of a publication when it begins. */
export interface PublicationOptions extends PublicationWait {
  /** The open publication to write into, which the other fields do not change; absent or null: a new one. */
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
