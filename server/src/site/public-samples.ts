/** Public samples: the datasets that have one, the rule for reading it, and its cache. */
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import type { Today } from '../plan/entitlement.ts';
import { bindQuestion, planQuestion } from '../plan/plan-query.ts';
import { parseDataRequest } from '../request/data-request.ts';
import type { DataRequestLimits } from '../request/settings.ts';
import type { RuleTerms } from '../store/access-rules.ts';
import type { Site } from './site-file.ts';

/** Nobody can ask for more. */
export const SAMPLE_ROWS = 5;

export function hasPublicSample(site: Site, { datasetId, textId }: Dataset): boolean {
  const { hasPublicCatalogue, publicSamples } = site;
  return hasPublicCatalogue && [datasetId, textId].some((id) => publicSamples.includes(id));
}

/**
 * Lets the first day of a dataset through, and no other, so that whoever asks every day has not
 * more than whoever asks once. Rows without a date have no window.
 */
function sampleRule(snapshot: DatasetSnapshot | null): RuleTerms {
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
  const question = bindQuestion({ request, dataset, snapshot, rules, today }, null, () => []);
  return await planQuestion(question, snapshot);
}

interface KeptSample<Sample> {
  readonly tag: string;
  readonly sample: Promise<Sample>;
}

/** Each sample is read once for each state of its rows. */
export class KeptSamples<Sample> {
  /** By dataset. */
  readonly #kept = new Map<string, KeptSample<Sample>>();

  /** The sample of a tag; concurrent callers share one `read`. A failure is not kept. */
  async get(datasetId: string, tag: string, read: () => Promise<Sample>): Promise<Sample> {
    const known = this.#kept.get(datasetId);
    if (known?.tag === tag) return await known.sample;
    const made = { tag, sample: read() };
    this.#kept.set(datasetId, made);
    try {
      return await made.sample;
    } catch (error) {
      if (this.#kept.get(datasetId) === made) this.#kept.delete(datasetId);
      throw error;
    }
  }
}
