/** The public sample of a dataset, as it is sent to anybody. */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { rowSource } from '../engine/row-source.ts';
import { JSON_FORMAT } from '../formats/json.ts';
import { pageTag, renderPage } from '../response/page.ts';
import { planSample } from '../site/public-samples.ts';
import { today } from '../time/market-time.ts';
import type { SiteServices } from './endpoint.ts';
import { type StaticAnswer, staticAnswer } from './static-answer.ts';

/** The account of nobody, whose turns all readers of samples share. */
const NOBODY = 0;

async function readSample(services: SiteServices, plan: QueryPlan): Promise<StaticAnswer> {
  const { engine, gate, spool, config, metrics } = services;
  const signal = AbortSignal.timeout(config.queryTimeoutMs);
  try {
    const { body, rowCount } = await gate.run(NOBODY, signal, () =>
      renderPage({
        ...{ plan, source: rowSource(engine, plan, signal), spool },
        ...{ format: JSON_FORMAT, pathParameters: [] },
      }),
    );
    if (!Buffer.isBuffer(body)) throw new Error('a sample does not fit into memory');
    metrics.scannedBytes.inc(plan.scannedBytes);
    metrics.rows.inc(rowCount);
    return staticAnswer(body, JSON_FORMAT.contentType);
  } catch (error) {
    if (signal.aborted) throw new ApiError('timed out', 'Gateway timeout');
    throw error;
  }
}

/** By the rule of samples alone, whoever asks. Rejects with an ApiError where it cannot be read now. */
export async function publicSample(
  services: SiteServices,
  dataset: Dataset,
): Promise<StaticAnswer> {
  const { lake, clock, config, samples } = services;
  const snapshot = await lake.snapshot(dataset.datasetId);
  const day = today(dataset.timeZone, clock.now());
  const plan = await planSample(dataset, snapshot, day, config);
  const tag = pageTag(plan, JSON_FORMAT, []);
  return await samples.get(dataset.datasetId, tag, () => readSample(services, plan));
}
