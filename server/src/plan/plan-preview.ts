/**
 * Plans a preview: the first rows of the last week that an account may read, within its rules and
 * without a filter. A preview is to cost little, also of a day with billions of rows: where no
 * identifier is asked of rows, the first row groups hold enough of them, and no other is read.
 */
import type { QueryPlan } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { type DataRequest, parseDataRequest } from '../request/data-request.ts';
import { addDays, laterOf } from '../request/literals.ts';
import type { DataRequestLimits } from '../request/settings.ts';
import { lastReadableDate, resolveEntitlements } from './entitlement.ts';
import { bindQuestion, type PlanInput, planQuestion } from './plan-query.ts';

export const PREVIEW_ROWS = 10;

/** Further back than any run of days without trading. */
const DAYS_BACK = 6;

/** The first one may begin with rows of an earlier day. */
const ROW_GROUPS_READ = 2;

type PreviewInput = Omit<PlanInput, 'request' | 'rolls'>;

/** The filters of the last week within one of the account's windows; '' where there is none. */
function lastWeek({ dataset, snapshot, rules, today }: PreviewInput): string {
  const { dateColumn } = dataset;
  if (dateColumn === null || !snapshot?.lastDate) return '';
  const entitlements = resolveEntitlements(dataset, rules, snapshot, today);
  const end = lastReadableDate(entitlements, snapshot.lastDate);
  const window = entitlements.find((each) => each.start <= end && each.end >= end);
  if (!window) return '';
  const start = laterOf(addDays(end, -DAYS_BACK), window.start);
  return `&${dateColumn}.ge=${start}&${dateColumn}.le=${end}`;
}

async function cutToFirstGroups(plan: QueryPlan, snapshot: DatasetSnapshot): Promise<QueryPlan> {
  const [part] = plan.parts;
  if (!part) return plan;
  const [groups = []] = await snapshot.rowGroups([part]);
  const firstRow = plan.naturalRows?.[0]?.[0]?.start ?? 0;
  let start = 0;
  let at = 0;
  for (const { rowCount } of groups) {
    if (start + rowCount > firstRow) break;
    start += rowCount;
    at++;
  }
  const read = groups.slice(at, at + ROW_GROUPS_READ);
  const rowCount = read.reduce((sum, group) => sum + group.rowCount, 0);
  const byteCount = read.reduce((sum, group) => sum + group.byteCount, 0);
  return {
    ...plan,
    parts: [part],
    naturalRows: [[{ start, end: start + rowCount }]],
    partScans: [{ rowCount, byteCount }],
    scannedRows: rowCount,
    scannedBytes: byteCount,
  };
}

export async function planPreview(
  input: PreviewInput,
  limits: DataRequestLimits,
): Promise<{ readonly request: DataRequest; readonly plan: QueryPlan }> {
  const { dataset, snapshot } = input;
  const filters = lastWeek(input);
  const { group, segment } = dataset;
  const queryString = `limit=${PREVIEW_ROWS}${filters}`;
  const request = parseDataRequest({ group, segment, pathParameters: [], queryString }, limits);
  const question = bindQuestion({ ...input, request }, null, () => []);
  const plan = await planQuestion(question, snapshot);
  const isOfAllIdentifiers = plan.grants.every(({ universe }) => universe === null);
  // Rows without a date come last, so that those of a dataset without dates may be anywhere.
  const isCut = isOfAllIdentifiers && snapshot !== null && filters !== '';
  return { request, plan: isCut ? await cutToFirstGroups(plan, snapshot) : plan };
}
