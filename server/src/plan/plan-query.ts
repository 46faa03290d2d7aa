/**
 * The second stage of a data request: with the dataset known, nothing is left to decide. What is
 * asked follows from the request and its rules alone; where the rows may be, from the index.
 */
import { ApiError, type Problem } from '../base/errors.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { goesOverMidnight, type Interval } from '../catalog/interval.ts';
import type { PlannedBars, Predicate, QueryPlan, Rolls } from '../engine/query-plan.ts';
import { samplePredicate } from '../engine/sample.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import type { DataRequest } from '../request/data-request.ts';
import { type Period, parsePeriod } from '../request/literals.ts';
import type { RuleTerms } from '../store/access-rules.ts';
import { withinColumns } from './column-rights.ts';
import {
  asksLatest,
  barColumns,
  bindConditions,
  columnOf,
  columnsOf,
  dateColumnOf,
  findInapplicable,
  findMissingFilter,
  findUnfitForAdjusting,
  findUnfitForBars,
  findUnfitSample,
  findUnfitSession,
  findUnknownColumns,
  withLatestDate,
} from './conditions.ts';
import { conditionsByRoot, confineToRolls, contractsOfSessions } from './continuous-plan.ts';
import {
  closeByPeriod,
  type DateRange,
  endBy,
  findDateRange,
  findDays,
  findSpanProblem,
  narrow,
} from './date-range.ts';
import {
  confine,
  type Entitlement,
  endWithVersion,
  findClosedDates,
  lastReadableDate,
  requireDatesInside,
  requireIdentifiersInside,
  resolveEntitlements,
  type Today,
} from './entitlement.ts';
import { askedTickers, TICKER } from './identifiers.ts';
import { lastPublishedDate } from './partitions.ts';
import { NOTHING_PUBLISHED, type PrunedParts, prune } from './prune.ts';
import {
  isOfSessions,
  latestSession,
  sessionDates,
  sessionGrants,
  withEvenings,
} from './session-dates.ts';

export interface QuestionInput {
  readonly request: DataRequest;
  readonly dataset: Dataset;
  /** The state to read; null: nothing is published. */
  readonly snapshot: Pick<DatasetSnapshot, 'lastDate' | 'parts'> | null;
  /** The account's rules for the dataset. Windows of its own and of its offer's may overlap. */
  readonly rules: readonly RuleTerms[];
  readonly today: Today;
  /** Rolls of the continuous contract that the request names; absent: it names none. */
  readonly rolls?: Rolls | undefined;
  /** True: other rules of the account are left out, which hide columns that the request names. */
  readonly leavesOutRules?: boolean | undefined;
}

export interface PlanInput extends QuestionInput {
  /** The version that is read; null when nothing is published. */
  readonly snapshot: DatasetSnapshot | null;
}

/** The look-back period that holds for the request, or null where the dataset has none. */
function periodOf(request: DataRequest, dataset: Dataset): Period | null {
  if (dataset.periodDefault === null) return null;
  const period = request.period ?? parsePeriod(dataset.periodDefault);
  if (!period) throw new Error(`dataset ${dataset.datasetId} has a malformed default period`);
  return period;
}

/**
 * Closes the open ends of the trade dates so that one period is left. Without any date filter it
 * is the last one that the account may read, so that a window of the past is not an empty answer.
 * Rows adjusted as of a date end there: what came later is adjusted by nothing that was known then.
 */
function closingPredicates(
  { request, dataset, snapshot, today }: QuestionInput,
  predicates: readonly Predicate[],
  period: Period | null,
  entitlements: readonly Entitlement[],
): Predicate[] {
  const { asOf } = request.adjustment;
  if (!period && asOf === null) return [];
  const column = dateColumnOf(dataset);
  const range = findDateRange(column, predicates);
  const endKnown = (open: DateRange) => (asOf === null || range.upper ? open : endBy(open, asOf));
  if (!period) return narrow(column, range, endKnown(range));
  const lastDate = lastReadableDate(entitlements, snapshot?.lastDate ?? today.market);
  const end = asOf !== null && asOf < lastDate ? asOf : lastDate;
  const closed = closeByPeriod(range, period, end);
  return narrow(
    column,
    range,
    range.upper ? closed : endWithVersion(endKnown(closed), entitlements),
  );
}

/**
 * A request bound to its dataset and to what the account may read, before any rows are looked for.
 */
export type Question = Omit<QueryPlan, keyof PrunedParts | 'version' | 'holder'>;

/**
 * The question that a request comes to. Pure. Throws an ApiError: 'forbidden' for an identifier
 * outside the account's universe, then 'invalid' for dates outside its windows, then 'invalid' with
 * everything else that does not fit the dataset, and the further problems.
 */
export function questionOf(input: QuestionInput, further: readonly Problem[] = []): Question {
  return bindQuestion(input, periodOf(input.request, input.dataset), (request, dataset) => [
    ...further,
    ...findInapplicable(request, dataset),
    ...findUnfitForBars(request, dataset),
    findUnfitSession(request, dataset),
    ...findUnfitForAdjusting(request, dataset),
    findMissingFilter(request, dataset),
  ]);
}

/** Columns of a request that names none. */
function allColumns({ request: { interval }, dataset }: QuestionInput): readonly Column[] {
  return interval ? barColumns(dataset) : dataset.columns;
}

type Found = Pick<QueryPlan, 'predicates' | 'grants'>;

/** `dates`: the conditions on the date that bars meet, whose rows may have earlier ones. */
function barsOf(
  interval: Interval,
  dataset: Dataset,
  { predicates, grants }: Found,
  dates: readonly Predicate[],
  rolls: Rolls | undefined,
): PlannedBars {
  const column = dateColumnOf(dataset);
  const asked = [dates, predicates].map((each) => findDays(column, each).first);
  const windows = grants.map(({ window }) => window?.start ?? null);
  const granted = windows.includes(null) ? null : (windows.toSorted()[0] ?? null);
  const later = [...asked, granted].filter((date) => date !== null).toSorted();
  const { by = [] } = dataset.intervals ?? {};
  // Whoever asks by permanent number asks for companies, whatever their tickers.
  const isOfCompanies = askedTickers({ dataset, predicates })?.ids != null;
  return {
    ...{ interval, firstDate: later.at(-1) ?? null },
    ...(isOfCompanies && { by: by.filter((name) => name !== TICKER) }),
    ...(rolls && goesOverMidnight(dataset, interval) && { contracts: contractsOfSessions(rolls) }),
  };
}

/** Finds more that does not fit the dataset, of which only columns that may be read exist. */
type FindProblems = (request: DataRequest, dataset: Dataset) => readonly (Problem | null)[];

/** The date that a request for the latest one means; undefined: it asks for others. */
function latestDateOf(
  { request, dataset, snapshot, today }: QuestionInput,
  entitlements: readonly Entitlement[],
  isOfSession: boolean,
): string | undefined {
  if (!asksLatest(request, dataset)) return undefined;
  const last =
    lastPublishedDate(dataset, snapshot, entitlements) ??
    lastReadableDate(entitlements, snapshot?.lastDate ?? today.market);
  const session = isOfSession ? latestSession(dataset, last) : last;
  // A rule that has just begun holds no session that has ended.
  return entitlements.some(({ start, end }) => start <= session && session <= end) ? session : last;
}

/**
 * Binds a request, under a look-back period if one holds, and adds further problems. Every request
 * for rows comes this way, so that columns which its rules hide exist for none. Throws like
 * `questionOf`.
 */
export function bindQuestion(
  asGiven: QuestionInput,
  period: Period | null,
  findFurther: FindProblems,
): Question {
  const input = withinColumns(asGiven);
  const { dataset, snapshot, rules, today, rolls } = input;
  const entitlements = resolveEntitlements(dataset, rules, snapshot, today);
  const { interval } = input.request;
  const hasEvenings = interval !== null && isOfSessions(dataset, interval);
  const latestDate = latestDateOf(input, entitlements, hasEvenings);
  const request =
    latestDate === undefined ? input.request : withLatestDate(input.request, dataset, latestDate);
  const bound = bindConditions(request, dataset);
  const byRoot = rolls && conditionsByRoot(bound, dataset, rolls);
  const { conditions, problems } = byRoot ?? bound;
  const who = input.leavesOutRules ? 'With these columns, the account' : 'The account';
  requireIdentifiersInside(dataset, conditions, entitlements, who);
  requireDatesInside(dataset, conditions, entitlements, who);
  const asked = conditions.map((condition) => condition.predicate);
  const found: (Problem | null)[] = [
    ...problems,
    findUnknownColumns(request, dataset),
    ...findFurther(input.request, dataset),
    findUnfitSample(request, dataset),
    period && findSpanProblem(dateColumnOf(dataset), asked, period),
  ];
  const all = found.filter((problem) => problem !== null);
  if (all.length > 0) throw new ApiError('invalid', all);

  const sampling = samplePredicate(dataset, request.sample);
  const chosen = [...asked, ...(sampling ? [sampling] : [])];
  const closing = closingPredicates(input, asked, period, entitlements);
  const closed = [...chosen, ...closing];
  const kept = confine(dataset, closed, entitlements);
  const contract = byRoot && { ...byRoot, rolls: rolls as Rolls, interval };
  const ofContract = (rows: Found) => (contract ? confineToRolls(dataset, rows, contract) : rows);
  const end = snapshot?.lastDate ?? today.market;
  const dates = hasEvenings ? sessionDates(dataset, asked, closing, end) : [];
  const read = hasEvenings ? confine(dataset, withEvenings(dataset, closed), entitlements) : kept;
  const { predicates, grants } = ofContract(read);
  const sessions = hasEvenings && {
    ...{ dates, grants: sessionGrants(dataset, dates, rules, entitlements) },
    rows: { predicates, grants },
  };
  return {
    dataset,
    ...ofContract(kept),
    closedDates: findClosedDates(dataset, asked, kept),
    columns: request.columns ? columnsOf(dataset, request.columns) : allColumns(input),
    sort: request.sort.map((field) => ({
      column: columnOf(dataset, field.column),
      descending: field.descending,
    })),
    offset: request.offset,
    limit: request.limit,
    ...(request.session && { session: request.session }),
    ...(interval && {
      bars: {
        ...barsOf(interval, dataset, read, dates, rolls),
        ...(sessions && { sessions }),
      },
    }),
    ...(latestDate !== undefined && { latestDate }),
  };
}

/** The plan that answers a question from a snapshot; null: nothing is published. */
export async function planQuestion(
  question: Question,
  snapshot: DatasetSnapshot | null,
): Promise<QueryPlan> {
  const rows = question.bars?.sessions?.rows ?? question;
  const pruned = snapshot ? await prune(question.dataset, snapshot, rows) : NOTHING_PUBLISHED;
  // A plan may be asked again as a question, and where its rows were is no part of it.
  const { identifierRows: _, naturalRows: __, ...asked } = question as Question & PrunedParts;
  return { ...asked, version: snapshot?.version ?? null, ...pruned };
}

/** Plans a request against one snapshot of its dataset. Rejects as `questionOf` throws. */
export async function planQuery(input: PlanInput): Promise<QueryPlan> {
  return await planQuestion(questionOf(input), input.snapshot);
}
