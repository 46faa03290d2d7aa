/** Derives datasets in one publication: all of their versions count together, or none does. */
import type { Dataset } from '../catalog/dataset.ts';
import { inputsOf } from '../catalog/derivation.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { OpenPublication, PublicationOutcome } from '../lake/publication.ts';
import { derivationOrder } from './derivation-graph.ts';
import {
  type DerivationChoice,
  type DerivationRun,
  WorkPool,
  withoutRepetitions,
} from './derivation-run.ts';
import { type DerivedDataset, deriveDataset } from './derive-dataset.ts';
import { InputRows } from './input-rows.ts';
import { LoadedRows } from './loaded-rows.ts';

/** The datasets to compute, and those that they come from. */
export interface DerivationSubject
  extends Pick<DerivationRun, 'catalog' | 'lake' | 'dates' | 'onSlice'> {
  /** Datasets without a derivation are skipped. */
  readonly datasets: readonly Dataset[];
  readonly engine: EngineReader;
  readonly signal: AbortSignal;
}

export interface DerivationRequest extends DerivationSubject, DerivationChoice {
  readonly reason: string | null;
  readonly onWait?: (() => void) | undefined;
}

export interface DerivationReport extends PublicationOutcome {
  readonly datasets: readonly DerivedDataset[];
}

/** Derives each dataset once those of the others that it comes from are there. */
async function deriveEach(
  run: DerivationRun,
  ordered: readonly Dataset[],
): Promise<DerivedDataset[]> {
  const underWay = new Map<string, Promise<DerivedDataset>>();
  for (const dataset of ordered) {
    const inputs = inputsOf(dataset).flatMap((textId) => underWay.get(textId) ?? []);
    const derived = Promise.all(inputs).then(() => deriveDataset(run, dataset));
    underWay.set(dataset.textId, derived);
  }
  return withoutRepetitions(await run.pool.all([...underWay.values()]));
}

/**
 * Computes what is due within a publication. `written`: the datasets that it has written by now,
 * by id.
 */
export async function deriveInto(
  request: Omit<DerivationRequest, 'onWait' | 'reason'>,
  publication: OpenPublication,
  written = new Set<string>(),
): Promise<DerivationReport> {
  const { catalog, engine, lake } = request;
  const ordered = derivationOrder(catalog, request.datasets);
  const pool = new WorkPool(request.signal);
  const { signal } = pool;
  const rows = new InputRows((dataset) => publication.partsOf(dataset), engine, signal);
  const loaded = new LoadedRows(lake.ledger, rows);
  const run = { ...request, publication, rows, loaded, written, pool, signal };
  const datasets = await deriveEach(run, ordered);
  const isChanged = datasets.some(({ computedPartCount }) => computedPartCount > 0);
  if (!isChanged && !publication.isRefused) publication.publishNothing('nothing was due');
  return { ...publication.outcome, datasets };
}

/** Computes what is due of the datasets, in the order in which they come from each other. */
export async function derive(request: DerivationRequest): Promise<DerivationReport> {
  const { catalog, datasets, lake, reason, signal, onWait } = request;
  const ordered = derivationOrder(catalog, datasets);
  const options = { datasets: ordered, kind: 'derivation' as const, command: 'derive' };
  return await lake.publication({ ...options, reason, signal, onWait }, (publication) =>
    deriveInto(request, publication),
  );
}
