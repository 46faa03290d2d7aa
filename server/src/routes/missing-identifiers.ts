/**
 * Names the identifiers of a list that have no rows: they are unknown, have none on the dates, or are not the caller's to
 * read. A request for one of them alone tells no less: it is refused, or has no rows.
 */
import { ApiError } from '../base/errors.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import {
  isToldByRows,
  ListedIdentifiers,
  listedIdentifiers,
  questionForUnseen,
  type SearchStages,
  searchUnseen,
} from '../plan/listed-identifiers.ts';
import { NAMED_IDENTIFIERS_MAX } from '../plan/named-identifiers.ts';
import { planQuestion } from '../plan/plan-query.ts';
import type { Page } from '../response/render-page.ts';
import { snapshotOf } from './asked-version.ts';
import type { KeyedExchange } from './endpoint.ts';
import { inTurn } from './in-turn.ts';

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
interface PlannedFor {
  readonly identityId: number;
  readonly plan: QueryPlan;
}

/** Reads one column, up to so many rows at a time. */
function stagesOf(
  { services }: KeyedExchange,
  plan: QueryPlan,
  snapshot: DatasetSnapshot,
  found: ListedIdentifiers,
  signal: AbortSignal,
): SearchStages {
  return {
    planFor: (values) => planQuestion(questionForUnseen(plan, values), snapshot),
    seeRows: async (some) => {
      let rowCount = 0;
      for await (const batch of services.engine.scan({ ...some, limit: ROUND_ROWS_MAX }, signal)) {
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

/** An answer is never refused for what it tells besides its rows. */
async function orNull<T>({ request }: KeyedExchange, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const isExpected = error instanceof ApiError || (error as Error).name === 'TimeoutError';
    if (!isExpected) {
      request.log.error({ err: error }, 'the search for missing identifiers failed');
    }
    return null;
  }
}

/**
 * Null where no identifiers are listed, on later pages, and where finding out would take too much. It is looked for
 * within the grants of the plan and counts into no quota. `seen` are those of a page's rows.
 */
export async function findMissing(
  exchange: KeyedExchange,
  { identityId, plan }: PlannedFor,
  seen: ListedIdentifiers | null = listedIdentifiers(plan),
): Promise<MissingIdentifiers | null> {
  if (seen === null) return null;
  const { version, dataset, restatement } = plan;
  const listed = new ListedIdentifiers(seen.lists);
  if (listed.unseen.length === 0 || version === null) return missingOf(listed);
  const isKnown = await orNull(
    exchange,
    inTurn(exchange, identityId, async (untilGone) => {
      const signal = AbortSignal.any([untilGone, AbortSignal.timeout(SEARCH_MS_MAX)]);
      const { lake } = exchange.services;
      const snapshot = await snapshotOf(lake, restatement?.raw ?? dataset, version);
      return await searchUnseen(listed, stagesOf(exchange, plan, snapshot, listed, signal));
    }),
  );
  return isKnown ? missingOf(listed) : null;
}

/** The same for a page, whose rows may tell. */
export async function missingOnPage(
  exchange: KeyedExchange,
  planned: PlannedFor,
  { listed, nextOffset }: Pick<Page, 'listed' | 'nextOffset'>,
): Promise<MissingIdentifiers | null> {
  if (!listed) return null;
  const isTold = nextOffset === null && isToldByRows(planned.plan, listed);
  return isTold ? missingOf(listed) : await findMissing(exchange, planned, listed);
}

/** `COUNT of LISTED`, and the first names, percent-encoded. */
export function missingHeader(missing: MissingIdentifiers | null): Record<string, string> {
  if (missing === null) return {};
  let names = '';
  for (const each of missing.identifiers) {
    const longer = `${names}${names === '' ? ': ' : ', '}${encodeURIComponent(each)}`;
    if (longer.length > HEADER_CHARACTERS_MAX) break;
    names = longer;
  }
  return { 'X-Missing': `${missing.count} of ${missing.of}${names}` };
}
