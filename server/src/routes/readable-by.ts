/** What an account may know of a dataset's partitions now. */
import type { Dataset } from '../catalog/dataset.ts';
import { type ReadablePartitions, readablePartitions } from '../plan/readable-partitions.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { today } from '../time/market-time.ts';
import type { KeyedExchange } from './endpoint.ts';

export async function readableBy(
  { services }: KeyedExchange,
  dataset: Dataset,
  rules: readonly AccessRule[],
): Promise<ReadablePartitions> {
  const day = today(dataset.timeZone, services.clock.now()).market;
  const { lastDate = null } = (await services.lake.snapshot(dataset.datasetId)) ?? {};
  return readablePartitions(dataset, rules, lastDate !== null && lastDate > day ? lastDate : day);
}
