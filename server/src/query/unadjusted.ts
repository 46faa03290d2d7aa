/**
 * The header of adjusted rows that names the page's securities without adjustment. A security
 * without known events keeps its rows as traded. Rows without a permanent number are left out if
 * their ticker has later events of securities with one.
 */
import { type AdjustmentChoice, EVERY_EVENT } from '@ticklake/market/adjustment.ts';
import { ROW_KEYS } from '../adjustments/restated-reader.ts';
import { ApiError } from '../base/errors.ts';
import type { Column } from '../catalog/dataset.ts';
import { isRestatable } from '../catalog/derivation.ts';
import { type ColumnVector, cellAt, dateOfDays } from '../engine/columns.ts';
import type { PlannedGroups } from '../engine/groups.ts';
import { pageFingerprint, rowsFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { planSource } from '../intervals/plan-source.ts';
import { columnOf } from '../plan/conditions.ts';
import { EVERY_ROW } from '../plan/plan-bulk.ts';
import { planQuery } from '../plan/plan-query.ts';
import { chooseDataset, type DataRequest } from '../request/data-request.ts';
import { type PlannedRequest, planFactorsOf, planRequest, recheck } from './plan-request.ts';
import { inTurn, type Reader } from './reader.ts';
import { firstOf } from './rolls.ts';

/** The header goes by them; null: the caller may not read it, or nothing is published. */
interface Sources {
  readonly events: QueryPlan | null;
  /** The page's rows as they were traded. */
  readonly raw: QueryPlan | null;
}

async function orNull(plan: () => Promise<QueryPlan>): Promise<QueryPlan | null> {
  try {
    return await plan();
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

async function sourcesOf(reader: Reader, planned: PlannedRequest): Promise<Sources> {
  const { request, plan } = planned;
  const { version } = request;
  // A number of a version is one of the adjusted dataset, unless rows are adjusted on request.
  const isOfRaw = plan.restatement !== undefined || (version !== null && 'asOf' in version);
  const asTraded: DataRequest = {
    ...{ ...request, adjusted: false, columns: null, sort: [], parameterTexts: new Map() },
    version: isOfRaw ? version : null,
  };
  const planRaw = async () => {
    const dataset = chooseDataset(asTraded, reader.services.catalog);
    return (await planRequest(reader, { dataset, request: asTraded, planAsked: planQuery })).plan;
  };
  return {
    events: plan.restatement?.factors ?? (await orNull(() => planFactorsOf(reader, planned))),
    raw: await orNull(planRaw),
  };
}

interface Security {
  readonly asid: bigint | null;
  /** Day of the earliest row, in days since 1970. */
  readonly day: number;
}

/** Finds securities and their days: those of the page, or once each of all rows of groups. */
function planSecurities(plan: QueryPlan, isGrouped: boolean): QueryPlan {
  const [ticker, asid, date] = [ROW_KEYS.ticker, ROW_KEYS.asid, ROW_KEYS.date].map((name) =>
    columnOf(plan.dataset, name),
  ) as [Column, Column, Column];
  const columns = [ticker, asid, date];
  if (!isGrouped) return { ...plan, columns };
  const groups: PlannedGroups = {
    keys: [{ column: ticker }, { column: asid }],
    measures: [{ kind: 'min', columns: [date] }],
  };
  return { ...plan, columns, groups, sort: [], offset: 0, limit: EVERY_ROW };
}

/** The securities of a plan, each once: `TICKER ASID`, or `TICKER` without a number. */
async function securitiesOf(
  { services }: Reader,
  plan: QueryPlan,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Security>> {
  const found = new Map<string, Security>();
  let left = plan.limit;
  for await (const batch of planSource(services, plan, signal).rows()) {
    const [tickers, asids, dates] = batch.columns as [ColumnVector, ColumnVector, ColumnVector];
    for (let row = 0; row < Math.min(batch.rowCount, left); row++) {
      const number = cellAt(asids, row) as bigint | null;
      const text = encodeURIComponent(`${cellAt(tickers, row) ?? ''}`);
      const name = number === null ? text : `${text} ${number}`;
      const known = found.get(name)?.day ?? Number.POSITIVE_INFINITY;
      const day = Math.min(known, cellAt(dates, row) as number);
      found.set(name, { asid: number, day });
    }
    left -= Math.min(batch.rowCount, left);
    batch.release?.();
  }
  return found;
}

async function textOf(
  reader: Reader,
  plan: QueryPlan,
  { events: ofEvents, raw }: Sources,
  signal: AbortSignal,
): Promise<string> {
  if (ofEvents === null) return 'unknown';
  const { engine, factorTables } = reader.services;
  const choice: AdjustmentChoice = plan.restatement ?? EVERY_EVENT;
  const events = await factorTables.read(engine, ofEvents, signal);
  const { isUnclear } = events.restating(choice);
  const isGrouped = plan.groups !== undefined;
  const found = await securitiesOf(reader, planSecurities(plan, isGrouped), signal);
  const traded = raw ? await securitiesOf(reader, planSecurities(raw, isGrouped), signal) : found;
  const isLeftOut = ([name, { asid, day }]: readonly [string, Security]) =>
    asid === null && !found.has(name) && isUnclear(decodeURIComponent(name), dateOfDays(day));
  return firstOf([
    ...[...found].flatMap(([name, { asid }]) => {
      const security = asid === null ? decodeURIComponent(name) : Number(asid);
      if (events.hasChosen(security, choice)) return [];
      return [`${name} ${asid === null ? 'no-asid' : 'no-event'}`];
    }),
    ...[...traded].filter(isLeftOut).map(([name]) => `${name} left-out`),
  ]);
}

function keyOf(plan: QueryPlan, { events, raw }: Sources): string {
  const ofEvents = events && rowsFingerprint(events);
  return [pageFingerprint(plan), ofEvents, raw && pageFingerprint(raw)].join(' ');
}

/** None where all rows are adjusted. Looks at the page's rows in the account's turn. */
export async function unadjustedHeader(
  reader: Reader,
  planned: PlannedRequest,
): Promise<Readonly<Record<string, string>>> {
  if (!isRestatable(planned.plan.dataset)) return {};
  const { told } = reader.services.factorTables;
  const known = told.get(keyOf(planned.plan, await sourcesOf(reader, planned)));
  const readInTurn = () =>
    inTurn(reader, planned.accountId, async (signal) => {
      const checked = await recheck(reader, planned);
      const sources = await sourcesOf(reader, checked);
      const text = await textOf(reader, checked.plan, sources, signal);
      told.set(keyOf(checked.plan, sources), text);
      return text;
    });
  const text = known ?? (await readInTurn());
  return text === '' ? {} : { 'X-Unadjusted': text };
}
