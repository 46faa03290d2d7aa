/** Every load leaves entries in the audit log, whether it publishes something or not. */
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import { printableLine } from '../base/printable.ts';
import { openControlStore } from '../open-home.ts';
import type { ControlStore, StoreTransaction } from '../store/control-store.ts';
import type { CommandContext } from './command.ts';

/** Further names are only counted. */
const FILES_MAX = 100;
const REASON_CHARACTERS_MAX = 2000;

/** The outcome for one dataset, or for the whole load if no dataset is known. */
export interface LoadedDataset {
  readonly datasetId: string;
  readonly rowCount: number;
  readonly replacedRowCount: number;
  readonly partitionCount: number;
}

export interface LoadOutcome {
  readonly publicationId: number;
  /** `staged`: it counts when the open publication is committed. */
  readonly state: 'published' | 'staged' | 'unchanged' | 'refused';
  /** Why nothing was published; null: something was, or will be. */
  readonly reason: string | null;
  readonly badRowCount: number;
  readonly datasets: readonly LoadedDataset[];
}

export interface AuditedLoad {
  /** As the audit log names it: `ingest`, `importLean`. */
  readonly operation: string;
  /** The dataset of the load; null: it is found out on the way. */
  readonly datasetId: string | null;
  readonly files: readonly string[];
  /** Null: as the default of each dataset is. */
  readonly mode: string | null;
  readonly vendor: string | null;
}

function failureOf(error: unknown, signal: AbortSignal) {
  if (signal.aborted) return { state: 'failed', reason: 'interrupted' };
  const state = error instanceof UsageError ? 'refused' : 'failed';
  return { state, reason: failureText(error).slice(0, REASON_CHARACTERS_MAX) };
}

function entriesOf(outcome: LoadOutcome, datasetId: string | null) {
  const { publicationId, state, reason, badRowCount } = outcome;
  const common = { publication_id: publicationId, state, reason, bad_row_count: badRowCount };
  const entries = outcome.datasets.map((dataset) => ({
    target: `dataset:${dataset.datasetId}`,
    after: {
      ...common,
      row_count: dataset.rowCount,
      replaced_row_count: dataset.replacedRowCount,
      partition_count: dataset.partitionCount,
    },
  }));
  return entries.length > 0 ? entries : [{ target: targetOf(datasetId), after: common }];
}

const targetOf = (datasetId: string | null) =>
  datasetId === null ? 'lake' : `dataset:${datasetId}`;

/** Writes all entries or none. A publication stands even if this fails, and the error must not hide it. */
async function noteOutcome(
  store: ControlStore,
  outcome: LoadOutcome,
  datasetId: string | null,
  note: (tx: StoreTransaction, target: string, after: object) => Promise<void>,
): Promise<void> {
  try {
    await store.transaction(async (tx) => {
      for (const { target, after } of entriesOf(outcome, datasetId)) await note(tx, target, after);
    });
  } catch (error) {
    const done = `the load ended as ${outcome.state}`;
    throw new Error(`${done}, but could not be recorded in the audit log: ${failureText(error)}`);
  }
}

/**
 * Runs a load and notes how it ended, one entry for each dataset. The store is opened before, so
 * that a load which cannot be noted does not begin.
 */
export async function auditedLoad<T>(
  { config, clock, signal }: CommandContext,
  { operation, datasetId, files, mode, vendor }: AuditedLoad,
  work: () => Promise<T>,
  outcomeOf: (result: T) => LoadOutcome,
): Promise<T> {
  const store = await openControlStore(config);
  const names = files.slice(0, FILES_MAX).map(printableLine);
  const given = { files: names, file_count: files.length, mode, vendor };
  const note = ({ audit }: StoreTransaction, target: string, after: object) =>
    audit.append({
      happenedAtMs: clock.now(),
      actor: localActor(),
      source: LOCAL_SOURCE,
      operation,
      target,
      before: null,
      after: { ...after, ...given },
    });
  try {
    const result = await work().catch(async (error: unknown) => {
      try {
        const failure = failureOf(error, signal);
        await store.transaction((tx) => note(tx, targetOf(datasetId), failure));
      } catch {
        // The first error is the one to report.
      }
      throw error;
    });
    await noteOutcome(store, outcomeOf(result), datasetId, note);
    return result;
  } finally {
    await store.close();
  }
}
