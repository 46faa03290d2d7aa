/** Which datasets have a public sample, and the one rule by which a sample is read. */
import { UsageError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import type { EntitlementRule, Today } from '../plan/entitlement.ts';
import { bindQuestion, planQuestion } from '../plan/plan-query.ts';
import { parseDataRequest } from '../request/data-request.ts';
import type { DataRequestLimits } from '../request/settings.ts';

/** Of a sample; nobody can ask for more. */
export const SAMPLE_ROWS = 5;

interface SiteChoice {
  readonly publicCatalogue: 'off' | 'on';
  readonly publicSamples: readonly string[];
}

/** Throws a `UsageError` where a sample is named that nobody could see. */
export function requirePublicSamples(config: SiteChoice, catalog: Catalog): void {
  const { publicCatalogue, publicSamples } = config;
  if (publicSamples.length > 0 && publicCatalogue === 'off') {
    throw new UsageError('TICKLAKE_PUBLIC_SAMPLES needs TICKLAKE_PUBLIC_CATALOGUE=on');
  }
  const unknown = publicSamples.find((name) => !catalog.byId(name) && !catalog.byTextId(name));
  if (unknown === undefined) return;
  throw new UsageError(
    `TICKLAKE_PUBLIC_SAMPLES: there is no dataset ${JSON.stringify(unknown.slice(0, 80))}`,
  );
}

export function hasPublicSample({ publicCatalogue, publicSamples }: SiteChoice, dataset: Dataset) {
  if (publicCatalogue === 'off') return false;
  return publicSamples.includes(dataset.datasetId) || publicSamples.includes(dataset.textId);
}

/**
 * Lets the first day of a dataset through, and no other, so that whoever asks every day has not more
 * than whoever asks once. Rows without a date have no window.
 */
function sampleRule(snapshot: DatasetSnapshot | null): EntitlementRule {
  const { firstDate = null } = snapshot ?? {};
  return { startDate: firstDate ?? '1900-01-01', endDate: firstDate, universe: [] };
}

/** Plans the first rows of the first day: of all columns, in natural order, by that rule alone. */
export async function planSample(
  dataset: Dataset,
  snapshot: DatasetSnapshot | null,
  today: Today,
  limits: DataRequestLimits,
): Promise<QueryPlan> {
  const { group, segment } = dataset;
  const queryString = `limit=${SAMPLE_ROWS}`;
  const request = parseDataRequest({ group, segment, pathParameters: [], queryString }, limits);
  const rules = [sampleRule(snapshot)];
  const question = bindQuestion({ request, dataset, snapshot, rules, today }, null, []);
  return await planQuestion(question, snapshot);
}
