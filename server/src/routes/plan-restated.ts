/**
 * Plans requests for adjusted rows that are not stored: as of a date, or by some of the events. They are made of the raw
 * rows and of the adjustment factors, so that the caller has to be allowed to read the adjusted dataset, the raw one and
 * all of the factors.
 */
import { FACTOR_COLUMNS } from '../adjustments/factor-events.ts';
import {
  type AdjustmentInputs,
  missingColumns,
  restatedDataset,
} from '../adjustments/restated-dataset.ts';
import { ApiError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { QueryPlan, Rolls } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { commonRules, holdsEvery } from '../plan/common-rules.ts';
import { dateColumnOf } from '../plan/dataset-columns.ts';
import { findDays } from '../plan/date-range.ts';
import type { EntitlementRule, Today } from '../plan/entitlement.ts';
import { planBulk } from '../plan/plan-bulk.ts';
import type { PlanInput } from '../plan/plan-query.ts';
import { type DataRequest, parseDataRequest } from '../request/data-request.ts';
import { problemAt } from '../request/request-problem.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { today } from '../time/market-time.ts';
import { askedSnapshot, snapshotOf } from './asked-version.ts';
import type { Services } from './endpoint.ts';
import type { NextPage } from './next-link.ts';

/** A request for rows of a dataset, and how it is planned. */
export interface AskedRows {
  readonly services: Services;
  readonly request: DataRequest;
  readonly dataset: Dataset;
  /** The rules of the caller for a dataset; throws an ApiError 'forbidden' without any. */
  readonly rulesFor: (dataset: Dataset) => readonly AccessRule[];
  readonly planAsked: (input: PlanInput) => Promise<QueryPlan>;
  /** Those of the continuous contract that the request names. */
  readonly rolls: Rolls | undefined;
}

export interface PlannedRows {
  readonly plan: QueryPlan;
  /** Of all datasets that the rows are made of, see `ruledDatasets`. */
  readonly rules: readonly AccessRule[];
  readonly pins: NextPage;
}

function inputsOf(adjusted: Dataset, catalog: Catalog): AdjustmentInputs {
  const [raw, factors] = (adjusted.derivation?.inputs ?? []).map((textId) => {
    const dataset = catalog.byTextId(textId);
    if (dataset) return dataset;
    const msg = `This server has no dataset ${textId}, of which ${adjusted.textId} is made`;
    throw new ApiError('not found', msg);
  });
  if (!raw || !factors) throw new Error(`${adjusted.textId} is made of two datasets`);
  const inputs = { raw, factors };
  const missing = missingColumns(adjusted, inputs);
  if (missing.length === 0) return inputs;
  const msg = `${adjusted.name} cannot be adjusted on request: ${missing.join(', ')} is missing`;
  throw new ApiError('not found', msg);
}

/** Rejects with an ApiError 'not found' where no factors are published: without them, rows would stay as they are. */
async function factorsSnapshot(
  { lake }: Services,
  factors: Dataset,
  { version, adjustment: { factorsVersion } }: DataRequest,
): Promise<DatasetSnapshot> {
  const asked = version && 'asOf' in version ? version : null;
  const snapshot =
    factorsVersion === null
      ? await askedSnapshot(lake, factors, asked)
      : await snapshotOf(lake, factors, factorsVersion, 'Factors version');
  if (snapshot) return snapshot;
  const msg = `${factors.name}, by which rows are adjusted, is not published yet`;
  throw new ApiError('not found', msg);
}

function requireKnownDate(asOf: string | null, { market, utc }: Today): void {
  const last = market > utc ? market : utc;
  if (asOf === null || asOf <= last) return;
  const msg = `'adjusted_as_of' should not be after today, ${last}: nobody knows those events yet`;
  const problem = problemAt(['query', 'adjusted_as_of'], 'date_in_future', msg, asOf, { last });
  throw new ApiError('invalid', [problem]);
}

/** The first day of which the plan may find rows. */
function firstDay({ dataset, predicates }: QueryPlan, rules: readonly { startDate: string }[]) {
  const [first] = rules.map(({ startDate }) => startDate);
  return findDays(dateColumnOf(dataset), predicates).first ?? (first as string);
}

interface RuledDataset {
  readonly dataset: Dataset;
  readonly rules: readonly AccessRule[];
}

/** Finds all factors that the plan's rows need; rejects with an ApiError 'forbidden' where the rules leave some out. */
async function planFactors(
  { services, request }: Pick<AskedRows, 'services' | 'request'>,
  { dataset: factors, rules }: RuledDataset,
  first: string,
): Promise<QueryPlan> {
  const { config, clock } = services;
  const snapshot = await factorsSnapshot(services, factors, request);
  if (!holdsEvery(rules, first, request.adjustment.asOf)) {
    const msg = `The account may not read all of ${factors.name}, by which these rows are adjusted`;
    throw new ApiError('forbidden', msg);
  }
  const { group, segment } = factors;
  const queryString = `columns=${FACTOR_COLUMNS.join(',')}`;
  const asked = parseDataRequest({ group, segment, pathParameters: [], queryString }, config);
  const day = today(factors.timeZone, clock.now());
  return await planBulk({ request: asked, dataset: factors, snapshot, rules, today: day });
}

/** Finds all factors of rows that are stored as adjusted, which `rules` let the caller read. */
export async function planFactorsOf(
  asked: Pick<AskedRows, 'services' | 'request' | 'rulesFor'>,
  plan: QueryPlan,
  rules: readonly AccessRule[],
): Promise<QueryPlan> {
  const { factors } = inputsOf(plan.dataset, asked.services.catalog);
  const ruled = { dataset: factors, rules: asked.rulesFor(factors) };
  return await planFactors(asked, ruled, firstDay(plan, rules));
}

/** Rules for rows that are made of rows of both; throws an ApiError 'forbidden' where they have nothing in common. */
function rulesForBoth(one: RuledDataset, other: RuledDataset): EntitlementRule[] {
  const rules = commonRules(one.rules, other.rules);
  if (rules.length > 0) return rules;
  const [first, second] = [one, other].map(({ dataset }) => dataset.name);
  const msg = `The account may read no rows that ${first} and ${second} have in common`;
  throw new ApiError('forbidden', msg);
}

function pinsOf(version: number | null, factorsVersion: number | null): NextPage {
  return {
    parameters: {
      ...(version !== null && { dataset_version: version }),
      ...(factorsVersion !== null && { factors_version: factorsVersion }),
    },
    replaced: ['as_of'],
  };
}

/** Rejects with an ApiError: 'forbidden', 'not found' or 'invalid', where there is nothing to plan. */
export async function planRestated(asked: AskedRows): Promise<PlannedRows> {
  const { services, request, dataset: adjusted, rulesFor, planAsked } = asked;
  const { asOf, adjustments } = request.adjustment;
  const { raw, factors } = inputsOf(adjusted, services.catalog);
  // All at one moment: they may change while the request is planned.
  const [ofRaw, ofAdjusted, ofFactors] = [raw, adjusted, factors].map((each) => ({
    dataset: each,
    rules: rulesFor(each),
  })) as [RuledDataset, RuledDataset, RuledDataset];
  const rules = rulesForBoth(ofRaw, ofAdjusted);
  const day = today(raw.timeZone, services.clock.now());
  requireKnownDate(asOf, day);
  const snapshot = await askedSnapshot(services.lake, raw, request.version);
  const dataset = restatedDataset(adjusted, raw);
  const plan = await planAsked({ request, dataset, snapshot, rules, today: day });
  const factorsPlan = await planFactors(asked, ofFactors, firstDay(plan, rules));
  return {
    plan: { ...plan, restatement: { adjusted, raw, adjustments, asOf, factors: factorsPlan } },
    rules: [ofRaw, ofAdjusted, ofFactors].flatMap((each) => each.rules),
    pins: pinsOf(plan.version, factorsPlan.version),
  };
}
