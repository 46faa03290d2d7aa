/**
 * Names the identifiers of a list that have no rows: they are unknown, have none on the dates, or
 * are not the caller's to read. A request for one of them alone tells no less: it is refused, or
 * has no rows.
 */
import { ApiError } from '../base/errors.ts';
import type { Part } from '../engine/part.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { planSource } from '../intervals/plan-source.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import {
  isOfIdentifierOrDate,
  isToldByRows,
  ListedIdentifiers,
  listedIdentifiers,
  NAMED_IDENTIFIERS_MAX,
  type UnseenValues,
} from '../plan/identifiers.ts';
import { partsFrom } from '../plan/plan-bulk.ts';
import { planQuestion, type Question } from '../plan/plan-query.ts';
import type { Page } from '../response/page.ts';
import { type PlannedRequest, snapshotOf } from './plan-request.ts';
import { inTurn, type Reader } from './reader.ts';

const ROUND_ROWS_MAX = 100_000;
/** An answer waits no longer for a search that has its turn. */
const SEARCH_MS_MAX = 10_000;
/** A header stays short; the manifest names as many as the ledger. */
const HEADER_CHARACTERS_MAX = 1000;

export interface MissingIdentifiers {
  readonly count: number;
  /** How many the request lists. */
  readonly of: number;
  readonly identifiers: readonly string[];
}

/** A plan, and the account by whose rules it is planned. */
type PlannedFor = Pick<PlannedRequest, 'accountId' | 'plan'>;

/**
 * Asks for the rows of the plan's dates and sessions that have one of the values, or for bars of
 * them; only those that the account may read.
 */
function questionForUnseen(plan: QueryPlan, { list, unseen }: UnseenValues): Question {
  const { dataset, restatement, bars, session } = plan;
  const asked = restatement?.raw ?? dataset;
  const ofSessions = asked.intervals?.by.includes(list.column.name) && bars?.sessions;
  const { predicates, grants } = bars?.sessions?.rows ?? plan;
  const kept = predicates.filter(({ column }) => isOfIdentifierOrDate(dataset, column));
  const rows = { predicates: [...kept, { ...list, values: [...unseen] }], grants };
  return {
    ...{ dataset: asked, ...rows, closedDates: null },
    ...{ columns: [list.column], sort: [], offset: 0, limit: 1 },
    ...(session && { session }),
    ...(ofSessions && { bars: { ...bars, sessions: { ...ofSessions, rows } } }),
  };
}

/** How a search reads. */
export interface SearchStages {
  /** Plans the rows with any of the values. */
  planFor(values: UnseenValues): Promise<QueryPlan>;
  /** Looks at the rows of a plan. False: there are more than it may look at. */
  seeRows(plan: QueryPlan): Promise<boolean>;
}

/**
 * Bytes of parts, all columns counted, in one round of a search. A larger part has its own round.
 */
const ROUND_BYTES_MAX = 64 * 1024 * 1024;
const ROUNDS_MAX = 50;

/** Each round reads parts; values still unseen are in no part that was read to its end. */
async function* roundsOf(values: UnseenValues, { planFor, seeRows }: SearchStages) {
  const readParts = new Set<Part>();
  let plan: QueryPlan | null = null;
  let plannedCount = 0;
  while (values.unseen.size > 0) {
    if (plan === null || plannedCount !== values.unseen.size) {
      plannedCount = values.unseen.size;
      plan = await planFor(values);
    }
    const first = plan.parts.findIndex((part) => !readParts.has(part));
    if (first < 0) return;
    const some = partsFrom(plan, first, ROUND_BYTES_MAX);
    if (await seeRows(some)) for (const part of some.parts) readParts.add(part);
    yield;
  }
}

/**
 * Looks for those that are left, fewer or further on in each round. False: it is not known of all
 * of them.
 */
export async function searchUnseen(
  { lists }: ListedIdentifiers,
  stages: SearchStages,
): Promise<boolean> {
  let rounds = 0;
  for (const values of lists) {
    for await (const _ of roundsOf(values, stages)) if (++rounds >= ROUNDS_MAX) return false;
  }
  return true;
}

interface IdentifierSearch {
  readonly plan: QueryPlan;
  readonly snapshot: DatasetSnapshot;
  readonly found: ListedIdentifiers;
}

/** Reads one column, up to so many rows at a time. */
function stagesOf(
  { services }: Reader,
  { plan, snapshot, found }: IdentifierSearch,
  signal: AbortSignal,
): SearchStages {
  return {
    planFor: (values) => planQuestion(questionForUnseen(plan, values), snapshot),
    seeRows: async (some) => {
      let rowCount = 0;
      const source = planSource(services, { ...some, limit: ROUND_ROWS_MAX }, signal);
      for await (const batch of source.rows()) {
        rowCount += batch.rowCount;
        found.see(some.columns, batch);
      }
      return rowCount <= ROUND_ROWS_MAX;
    },
  };
}

function missingOf({ count: of, unseen }: ListedIdentifiers): MissingIdentifiers {
  return { count: unseen.length, of, identifiers: unseen.slice(0, NAMED_IDENTIFIERS_MAX) };
}

/** An answer is never refused for what it tells besides its rows; null: it was not found out. */
export async function besidesRows<T>(
  { log }: Reader,
  search: 'hint' | 'missing identifiers',
  work: Promise<T>,
): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const isExpected = error instanceof ApiError || (error as Error).name === 'TimeoutError';
    if (!isExpected) log.error({ err: error }, `the search for ${search} failed`);
    return null;
  }
}

/**
 * Finds listed identifiers without rows. Null if none are listed, on later pages, and if the search
 * would take too much. The search stays within the plan's grants and counts into no quota. `seen`
 * holds the identifiers seen in a page's rows.
 */
export async function findMissing(
  reader: Reader,
  { accountId, plan }: PlannedFor,
  seen: ListedIdentifiers | null = listedIdentifiers(plan),
): Promise<MissingIdentifiers | null> {
  if (seen === null) return null;
  const { version, dataset, restatement } = plan;
  const listed = new ListedIdentifiers(seen.lists);
  if (listed.unseen.length === 0 || version === null) return missingOf(listed);
  const isKnown = await besidesRows(
    reader,
    'missing identifiers',
    inTurn(reader, accountId, async (untilGone) => {
      const signal = AbortSignal.any([untilGone, AbortSignal.timeout(SEARCH_MS_MAX)]);
      const { lake } = reader.services;
      const snapshot = await snapshotOf(lake, restatement?.raw ?? dataset, version);
      return await searchUnseen(
        listed,
        stagesOf(reader, { plan, snapshot, found: listed }, signal),
      );
    }),
  );
  return isKnown ? missingOf(listed) : null;
}

/** Missing identifiers of a page, whose rows may already tell. */
export async function missingOnPage(
  reader: Reader,
  planned: PlannedFor,
  { listed, nextOffset }: Pick<Page, 'listed' | 'nextOffset'>,
): Promise<MissingIdentifiers | null> {
  if (!listed) return null;
  const isTold = nextOffset === null && isToldByRows(planned.plan, listed);
  return isTold ? missingOf(listed) : await findMissing(reader, planned, listed);
}

/** `COUNT of LISTED`, and the first names, percent-encoded. */
export function missingHeader(missing: MissingIdentifiers): Record<string, string> {
  let names = '';
  for (const each of missing.identifiers) {
    const longer = `${names}${names === '' ? ': ' : ', '}${encodeURIComponent(each)}`;
    if (longer.length > HEADER_CHARACTERS_MAX) break;
    names = longer;
  }
  return { 'X-Missing': `${missing.count} of ${missing.of}${names}` };
}
