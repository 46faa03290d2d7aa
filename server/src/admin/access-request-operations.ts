/** Operations on requests for access: an account asks, an owner grants a rule or declines. */
import { ApiError } from '../base/errors.ts';
import { FIRST_DATE } from '../engine/accepted-values.ts';
import { holdsEvery } from '../plan/common-rules.ts';
import {
  ACCESS_REQUEST_STATES,
  type AccessRequest,
  type AccessRequestState,
} from '../store/access-requests.ts';
import { utcDay } from '../store/usage.ts';
import { ACCESS_REQUEST, ACCESS_REQUEST_PAGE } from './answers.ts';
import { optional, required } from './field.ts';
import { choiceOf, DATASET, ID, REASON } from './field-kinds.ts';
import { found, type Operation, type OperationContext, operation, performIn } from './operation.ts';
import { ACCOUNT_ID, ACCOUNTS, PAGE_FIELDS, recordsOf } from './records.ts';
import { addRule } from './rule-operations.ts';
import { accessRequestView } from './views.ts';

const PAGE_ROWS = 100;
/** Open requests of an account: more than anybody asks for at a time. */
const OPEN_MAX = 100;

const REQUEST_ID = required(ID, 'Id of the request for access', '--request ID');

const REQUESTS = recordsOf(
  ['request', 'access_request'],
  ({ accessRequests }, id) => accessRequests.find(id),
  (request, { catalog }) => accessRequestView(request, catalog),
);

/** Fields of an account's own operation. */
export const requestAccess = operation({
  name: 'requestAccess',
  summary: 'ask the owners for access to a dataset',
  endpoint: 'POST /identities/:identity_id/access-requests',
  fields: {
    identity_id: ACCOUNT_ID,
    dataset_id: required(DATASET, 'Id or text id of the dataset'),
    note: optional(REASON, 'Your reason, for the owner who decides'),
  },
  answer: ACCESS_REQUEST,
  refusals: ['conflict'],
  run: async (context, values) => {
    const { store, nowMs, email = '' } = context;
    const { accountId } = await ACCOUNTS.existing(store, values.identity_id);
    const { datasetId } = values.dataset_id;
    const rules = await store.rules.listOfDataset(accountId, datasetId);
    // Who may read a part, or up to a date, may ask for more.
    if (holdsEvery(rules, utcDay(nowMs), null)) {
      throw new ApiError('conflict', 'The account already has access to the dataset');
    }
    const open = await store.accessRequests.list({ accountId, state: 'open' }, 0, OPEN_MAX);
    if (open.some((each) => each.datasetId === datasetId)) {
      throw new ApiError('conflict', 'The account has already asked for the dataset');
    }
    if (open.length >= OPEN_MAX) {
      throw new ApiError('conflict', `The account already has ${OPEN_MAX} open requests`);
    }
    const asked = { accountId, datasetId, askedBy: email, note: values.note ?? '' };
    const requestId = await store.accessRequests.add({ ...asked, createdAtMs: nowMs });
    return REQUESTS.made(context, requestId);
  },
});

export const listAccessRequests = operation({
  name: 'listAccessRequests',
  summary: 'list requests for access to datasets, the newest first',
  endpoint: 'GET /access-requests',
  command: 'access list',
  fields: {
    identity_id: optional(ID, 'Only requests of this account', '--identity ID'),
    state: optional(
      choiceOf(ACCESS_REQUEST_STATES),
      `Only requests that are ${ACCESS_REQUEST_STATES.join(', ')}`,
      '--state STATE',
    ),
    before: optional(ID, 'Show requests before this id; the previous page gives it', '--before ID'),
    limit: PAGE_FIELDS.limit,
  },
  answer: ACCESS_REQUEST_PAGE,
  run: async ({ store, catalog }, { identity_id, state, before, limit = PAGE_ROWS }) => {
    const filter = { accountId: identity_id, state };
    const rows = await store.accessRequests.list(filter, before ?? 0, limit + 1);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return found({
      data: shown.map((each) => accessRequestView(each, catalog)),
      pagination: { before: before ?? null, limit, next_before: last?.requestId ?? null },
    });
  },
});

function decided(
  context: OperationContext,
  requestId: number,
  state: AccessRequestState,
  grant?: (request: AccessRequest) => Promise<void>,
) {
  return REQUESTS.altered(context, requestId, async (request) => {
    if (request.state !== 'open') {
      throw new ApiError('conflict', `The request has already been ${request.state}`);
    }
    await grant?.(request);
    await context.store.accessRequests.decide(requestId, state, context.nowMs);
  });
}

const { start_date, end_date, universe_identifiers, columns } = addRule.fields;

const grantAccess = operation({
  name: 'grantAccess',
  summary: 'grant a request for access: adds a rule for the dataset, by default for all of it',
  endpoint: 'POST /access-requests/:request_id/grant',
  command: 'access grant',
  fields: {
    request_id: REQUEST_ID,
    ...(start_date && { start_date }),
    ...(end_date && { end_date }),
    ...(universe_identifiers && { universe_identifiers }),
    ...(columns && { columns }),
  },
  answer: ACCESS_REQUEST,
  refusals: ['conflict'],
  run: async (context, { request_id, ...window }) =>
    decided(context, request_id, 'granted', async ({ accountId, datasetId }) => {
      if (!context.catalog.byId(datasetId)) {
        throw new ApiError('conflict', 'The dataset is no longer in the catalogue');
      }
      // If an earlier rule is in the way, the caller can move the start.
      const { start_date = FIRST_DATE, ...others } = window;
      const rule = { identity_id: accountId, dataset_id: datasetId, start_date, ...others };
      await performIn(context.store, addRule, context, rule);
    }),
});

const declineAccess = operation({
  name: 'declineAccess',
  summary: 'decline a request for access',
  endpoint: 'POST /access-requests/:request_id/decline',
  command: 'access decline',
  fields: { request_id: REQUEST_ID },
  answer: ACCESS_REQUEST,
  refusals: ['conflict'],
  run: async (context, { request_id }) => decided(context, request_id, 'declined'),
});

export const ACCESS_REQUEST_OPERATIONS: readonly Operation[] = [
  listAccessRequests,
  grantAccess,
  declineAccess,
];
