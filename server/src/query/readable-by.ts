/** Tells what an account may know of a dataset's rows without reading them. */
import type { Dataset } from '../catalog/dataset.ts';
import { type QueryPlan, ruledDatasets } from '../engine/query-plan.ts';
import {
  mayKnowScan,
  type ReadablePartitions,
  readablePartitions,
} from '../plan/readable-partitions.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { today } from '../time/market-time.ts';
import type { DataServices } from './reader.ts';

export async function readableBy(
  { lake, clock }: DataServices,
  dataset: Dataset,
  rules: readonly AccessRule[],
): Promise<ReadablePartitions> {
  const day = today(dataset.timeZone, clock.now()).market;
  const { lastDate = null } = (await lake.snapshot(dataset.datasetId)) ?? {};
  return readablePartitions(dataset, rules, lastDate !== null && lastDate > day ? lastDate : day);
}

/** The rows of a dataset; null if the account may not read all of them, or none is published. */
export async function rowsCountedFor(
  services: DataServices,
  dataset: Dataset,
  rules: readonly AccessRule[],
): Promise<number | null> {
  const snapshot = await services.lake.snapshot(dataset.datasetId);
  if (!snapshot) return null;
  const { holdsAll } = await readableBy(services, dataset, rules);
  return holdsAll(snapshot.firstDate, snapshot.lastDate) ? snapshot.rowCount : null;
}

/** See `mayKnowScan`. */
export async function mayCountScan(
  services: DataServices,
  plan: QueryPlan,
  rules: readonly AccessRule[],
): Promise<boolean> {
  const [read = plan.dataset] = ruledDatasets(plan);
  const ofRead = rules.filter(({ datasetId }) => datasetId === read.datasetId);
  const snapshot = await services.lake.snapshot(read.datasetId);
  if (!snapshot) return true;
  return mayKnowScan(read, plan.predicates, snapshot, await readableBy(services, read, ofRead));
}
