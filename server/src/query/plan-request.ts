/**
 * Plans requests for rows by the rules of their callers, and again when their turn has come,
 * because rules may have changed meanwhile.
 */
import { isDeepStrictEqual } from 'node:util';
import { ADJUSTMENT_COLUMNS } from '@ticklake/market/adjustment.ts';
import { FACTOR_COLUMNS } from '../adjustments/factor-events.ts';
import {
  type AdjustmentInputs,
  missingColumns,
  restatedDataset,
} from '../adjustments/restated-reader.ts';
import { isoSeconds } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { isRestatable } from '../catalog/derivation.ts';
import { type QueryPlan, type Rolls, ruledDatasets } from '../engine/query-plan.ts';
import { datasetOfParts } from '../engine/stored-columns.ts';
import type { Lake } from '../lake/lake.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { rulesWithColumns } from '../plan/column-rights.ts';
import { commonRules, holdsEvery } from '../plan/common-rules.ts';
import { dateColumnOf, withLatestDate } from '../plan/conditions.ts';
import { requireWholeRoot } from '../plan/continuous-plan.ts';
import { findDays } from '../plan/date-range.ts';
import type { Today } from '../plan/entitlement.ts';
import { planBulk } from '../plan/plan-bulk.ts';
import type { PlanInput } from '../plan/plan-query.ts';
import { canonicalRequest } from '../receipts/canonical-request.ts';
import { type DataRequest, EVERYTHING } from '../request/data-request.ts';
import { problemAt } from '../request/request-problem.ts';
import { type AskedVersion, isRestated, readMoment } from '../request/standard-parameters.ts';
import type { AccessRule, RuleTerms } from '../store/access-rules.ts';
import { today } from '../time/market-time.ts';
import { accountOf, admittedAgain, type Reader, type ReaderNow, requireRules } from './reader.ts';

/** Parameters of the next page, with their values; they stand in place of those in `replaced`. */
export interface NextPage {
  readonly parameters: Readonly<Record<string, string | number>>;
  /** Names that the request may have beside those of the parameters. */
  readonly replaced?: readonly string[] | undefined;
  /** In place of the one in the path; absent: as it was. */
  readonly identifier?: string | undefined;
  /** The date in place of each `latest` of a column; absent: the request has none. */
  readonly latest?: { readonly column: string; readonly date: string } | undefined;
}

/** A request with the plan made for it, by rules that may change until it is its turn. */
export interface PlannedRequest {
  /** The account by whose rules it is planned. */
  readonly accountId: number;
  readonly request: DataRequest;
  readonly rules: readonly AccessRule[];
  readonly plan: QueryPlan;
  /** Parameters by which the next page reads the same state of the dataset. */
  readonly pins: NextPage;
  /** No other page can be asked for, so that none is linked. */
  readonly isOnlyPage?: true;
  /** The one text of the request, for receipts. */
  textOf(): string;
  /**
   * Plans the same for a caller as of now. Rejects with an ApiError where there is nothing to plan.
   */
  planAgain(reader: ReaderNow): Promise<PlannedRequest>;
}

/** Rows that are asked for, and how they are planned. */
export interface AskedRows {
  readonly dataset: Dataset;
  readonly request: DataRequest;
  readonly planAsked: (input: PlanInput) => Promise<QueryPlan>;
  /** Rolls of the continuous contract, if the request names one. */
  readonly rolls?: Rolls | undefined;
}

/** A plan with the rules of all datasets it reads, see `ruledDatasets`. */
export type PlannedRows = Pick<PlannedRequest, 'plan' | 'rules' | 'pins'>;

/** The date in place of `latest` in links to the plan's next page. */
export function latestOf({ dataset, latestDate: date }: QueryPlan): NextPage['latest'] {
  return date === undefined ? undefined : { column: dataset.dateColumn ?? '', date };
}

/** Rejects with an ApiError where there is nothing to plan. */
export async function planRequest(reader: ReaderNow, asked: AskedRows): Promise<PlannedRequest> {
  const { accountId } = accountOf(reader);
  const { dataset } = asked;
  const request = withFactorColumns(asked.request, dataset);
  const rows = { ...asked, request };
  const isComputed = isRestatable(dataset) && isRestated(request.adjustment);
  const planned = isComputed
    ? await planRestated(reader, accountId, rows)
    : await planStored(reader, accountId, rows);
  const plan = { ...planned.plan, holder: accountId };
  const { latestDate: date } = plan;
  const dated = date === undefined ? request : withLatestDate(request, dataset, date);
  return {
    ...{ ...planned, accountId, plan },
    request: dated,
    pins: { ...planned.pins, latest: latestOf(plan) },
    textOf: () => canonicalRequest(dated, plan, reader.services.config),
    planAgain: (current) => planRequest(current, asked),
  };
}

async function planStored(
  { services }: ReaderNow,
  accountId: number,
  { request, dataset, planAsked, rolls }: AskedRows,
): Promise<PlannedRows> {
  const { store, lake, clock } = services;
  const rules = requireRules(store, accountId, dataset);
  const ofRanking = rolls ? requireRules(store, accountId, rolls.ranking) : [];
  if (rolls) requireWholeRoot(rolls.ranking, ofRanking, rolls.root);
  const snapshot = await askedSnapshot(lake, dataset, request.version);
  const day = today(dataset.timeZone, clock.now());
  const asOfVersion = datasetOf(dataset, snapshot);
  const input = { request, dataset: asOfVersion, snapshot, rules, today: day, rolls };
  const plan = await planAsked(input);
  const versions = {
    dataset_version: snapshot?.version ?? null,
    rolls_version: rolls?.version ?? null,
  };
  return { plan, rules: [...rules, ...ofRanking], pins: pinsTo(versions) };
}

/** The dataset as its version has it. */
function datasetOf(dataset: Dataset, snapshot: DatasetSnapshot | null): Dataset {
  return snapshot ? datasetOfParts(dataset, snapshot.parts) : dataset;
}

/** A walk stays with the versions of its first page, whatever is published meanwhile. */
function pinsTo(versions: Readonly<Record<string, number | null>>): NextPage {
  const known = Object.entries(versions).flatMap(([name, version]) =>
    version === null ? [] : [[name, version] as const],
  );
  return { parameters: Object.fromEntries(known), replaced: ['as_of'] };
}

/**
 * With `adjustment_factors=true` the factors come last, if they are not among the columns asked
 * for.
 */
function withFactorColumns(request: DataRequest, dataset: Dataset): DataRequest {
  const { columns, interval, adjustment } = request;
  if (!adjustment.withFactors || !isRestatable(dataset)) return request;
  if (columns === null && interval === null) return request;
  return { ...request, columns: [...new Set([...(columns ?? []), ...ADJUSTMENT_COLUMNS])] };
}

/**
 * Checks a request again when its turn has come: its caller must still be admitted, and it is
 * planned again if the caller's rules have changed. The caller and the rules are judged in one
 * step: no await comes between the two.
 */
export async function recheck(reader: Reader, planned: PlannedRequest): Promise<PlannedRequest> {
  const { store } = reader.services;
  await store.catchUp();
  const current = admittedAgain(reader);
  const { accountId } = accountOf(current);
  const rules = ruledDatasets(planned.plan).flatMap(({ datasetId }) =>
    store.replica.rulesOfDataset(accountId, datasetId),
  );
  // Rules keep their ids when they are changed.
  return isDeepStrictEqual(rules, planned.rules) ? planned : await planned.planAgain(current);
}

const MS_PER_SECOND = 1000;

/**
 * A version of that number, which messages call `what`. Rejects with an ApiError 'gone' or 'not
 * found'.
 */
export async function snapshotOf(
  lake: Lake,
  { datasetId }: Dataset,
  version: number,
  what = 'Dataset version',
): Promise<DatasetSnapshot> {
  const snapshot = await lake.snapshotAt(datasetId, version);
  if (snapshot === 'gone') {
    throw new ApiError('gone', `${what} ${version} is no longer available`);
  }
  if (snapshot !== 'unknown') return snapshot;
  throw new ApiError('not found', `${what} ${version} has never been published`);
}

/**
 * Times of publications are told in whole seconds, so a version counts from the second on in which
 * it was published: the time of a version finds that version, or one of the same second.
 */
async function versionAsOf(lake: Lake, dataset: Dataset, asOf: string): Promise<number> {
  const atMs = readMoment(asOf, dataset.filterTimeZone) ?? 0;
  const second = Math.floor(atMs / MS_PER_SECOND) * MS_PER_SECOND;
  const version = await lake.versionAsOf(dataset.datasetId, second + MS_PER_SECOND - 1);
  if (version !== null) return version;
  throw new ApiError('not found', `The dataset had no version yet at ${isoSeconds(second)}`);
}

/** Null: nothing is published, and no version was asked for. Rejects as `snapshotOf` does. */
export async function askedSnapshot(
  lake: Lake,
  dataset: Dataset,
  asked: AskedVersion | null,
): Promise<DatasetSnapshot | null> {
  if (asked === null) return await lake.snapshot(dataset.datasetId);
  const version = 'version' in asked ? asked.version : await versionAsOf(lake, dataset, asked.asOf);
  return await snapshotOf(lake, dataset, version);
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

/**
 * An ApiError 'not found' where no factors are published: without them, rows would stay as they
 * are.
 */
async function factorsSnapshot(
  lake: Lake,
  factors: Dataset,
  { version, adjustment: { factorsVersion } }: Pick<DataRequest, 'version' | 'adjustment'>,
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

/** Finds all factors that the plan's rows need; 'forbidden' where the rules leave some out. */
async function planFactors(
  { services }: ReaderNow,
  { adjustment, version }: DataRequest,
  { dataset: factors, rules }: RuledDataset,
  first: string,
): Promise<QueryPlan> {
  const { lake, clock } = services;
  const snapshot = await factorsSnapshot(lake, factors, { adjustment, version });
  const whole = rulesWithColumns(factors, rules, FACTOR_COLUMNS);
  if (!holdsEvery(whole, first, adjustment.asOf)) {
    const msg = `The account may not read all of ${factors.name}, by which these rows are adjusted`;
    throw new ApiError('forbidden', msg);
  }
  const { group, segment } = factors;
  const request = { ...EVERYTHING, group, segment, columns: FACTOR_COLUMNS };
  const day = today(factors.timeZone, clock.now());
  return await planBulk({ request, dataset: factors, snapshot, rules, today: day });
}

/** Finds all factors of rows that are stored as adjusted. */
export async function planFactorsOf(
  reader: ReaderNow,
  { accountId, request, plan, rules }: PlannedRequest,
): Promise<QueryPlan> {
  const { catalog, store } = reader.services;
  const { factors } = inputsOf(plan.dataset, catalog);
  const ruled = { dataset: factors, rules: requireRules(store, accountId, factors) };
  return await planFactors(reader, request, ruled, firstDay(plan, rules));
}

/** A rule for raw rows: the factors of rows are none of their columns. */
function withFactors<Rule extends RuleTerms>(rule: Rule): Rule {
  const { columns } = rule;
  return columns ? { ...rule, columns: [...columns, ...ADJUSTMENT_COLUMNS] } : rule;
}

/**
 * Rules for rows that are made of rows of both; throws an ApiError 'forbidden' where they have
 * nothing in common.
 */
function rulesForBoth(one: RuledDataset, other: RuledDataset): RuleTerms[] {
  const rules = commonRules(one.rules.map(withFactors), other.rules);
  if (rules.length > 0) return rules;
  const [first, second] = [one, other].map(({ dataset }) => dataset.name);
  const msg = `The account may read no rows that ${first} and ${second} have in common`;
  throw new ApiError('forbidden', msg);
}

/**
 * Plans adjusted rows that are not stored: as of a date, or by some of the events. They are made of
 * the raw rows and of the factors, so the caller must be allowed to read the adjusted dataset, the
 * raw one and all of the factors.
 */
async function planRestated(
  reader: ReaderNow,
  accountId: number,
  { request, dataset: adjusted, planAsked }: AskedRows,
): Promise<PlannedRows> {
  const { catalog, lake, store, clock } = reader.services;
  const { asOf, adjustments } = request.adjustment;
  const { raw, factors } = inputsOf(adjusted, catalog);
  // All at one moment: they may change while the request is planned.
  const [ofRaw, ofAdjusted, ofFactors] = [raw, adjusted, factors].map((each) => ({
    dataset: each,
    rules: requireRules(store, accountId, each),
  })) as [RuledDataset, RuledDataset, RuledDataset];
  const rules = rulesForBoth(ofRaw, ofAdjusted);
  const day = today(raw.timeZone, clock.now());
  requireKnownDate(asOf, day);
  const snapshot = await askedSnapshot(lake, raw, request.version);
  const dataset = datasetOf(restatedDataset(adjusted, raw), snapshot);
  const plan = await planAsked({ request, dataset, snapshot, rules, today: day });
  const factorsPlan = await planFactors(reader, request, ofFactors, firstDay(plan, rules));
  const versions = { dataset_version: plan.version, factors_version: factorsPlan.version };
  const datasets = { adjusted, raw: datasetOf(raw, snapshot) };
  return {
    plan: { ...plan, restatement: { ...datasets, adjustments, asOf, factors: factorsPlan } },
    rules: [ofRaw, ofAdjusted, ofFactors].flatMap((each) => each.rules),
    pins: pinsTo(versions),
  };
}
