/** Operations on single requests: what the ledger tells of each, and what it cost. */
import { isoSeconds } from '../base/clock.ts';
import { QUANTITIES, QUANTITY_NAMES, STEP_STATUS } from '../store/quantities.ts';
import { type LatestRequests, type LedgerRow, SESSION_KEY_ID } from '../store/usage.ts';
import { COUNTED_REQUEST_PAGE } from './answers.ts';
import { optional } from './field.ts';
import { DATASET, FLAG, ID } from './field-kinds.ts';
import { found, operation } from './operation.ts';
import { ACCOUNT_ID, existingAccount, PAGE_FIELDS } from './shared-fields.ts';
import { amountsView } from './views.ts';

const PAGE_ROWS = 100;

/** A request, as its account may see it. */
export function requestView(entry: LedgerRow) {
  const used = QUANTITY_NAMES.map((name) => [name, QUANTITIES[name].adds.month(entry)]);
  return {
    ledger_id: entry.ledgerId,
    request_id: entry.requestId,
    answered_at: isoSeconds(entry.answeredAtMs),
    dataset_id: entry.datasetId || null,
    dataset_version: entry.datasetVersion,
    key_id: entry.keyId === SESSION_KEY_ID ? null : entry.keyId,
    status: entry.status,
    is_step: entry.status === STEP_STATUS,
    row_count: entry.rowCount,
    ...amountsView<number>(Object.fromEntries(used)),
    duration_ms: Math.round(entry.durationMs),
  };
}

/** Pagination of a page that looked for one row more than it shows. */
function nextBefore({ rows, unexaminedId }: LatestRequests, limit: number): number | null {
  if (rows.length > limit) return rows[limit - 1]?.ledgerId ?? null;
  return unexaminedId === null ? null : unexaminedId + 1;
}

/** Fields of an account's own operation. */
export const listRequests = operation({
  name: 'listRequests',
  summary: 'list the requests of an account and what each cost, the latest first',
  endpoint: 'GET /identities/:identity_id/requests',
  fields: {
    identity_id: ACCOUNT_ID,
    is_refused: optional(FLAG, 'List only what was refused or failed; default: false'),
    key_id: optional(ID, 'Only requests with this key'),
    dataset_id: optional(DATASET, 'Only requests for this dataset, by id or text id'),
    before: optional(ID, 'Show those before this ledger_id; the previous page gives it'),
    limit: PAGE_FIELDS.limit,
  },
  answer: COUNTED_REQUEST_PAGE,
  run: async ({ store }, values) => {
    const { before, limit = PAGE_ROWS } = values;
    const { accountId } = await existingAccount(store, values.identity_id);
    const filter = {
      accountId,
      isRefused: values.is_refused,
      keyId: values.key_id,
      datasetId: values.dataset_id?.datasetId,
    };
    const latest = await store.usage.listLatest(filter, before ?? 0, limit + 1);
    const shown = latest.rows.slice(0, limit);
    return found({
      data: shown.map(requestView),
      pagination: { before: before ?? null, limit, next_before: nextBefore(latest, limit) },
    });
  },
});
