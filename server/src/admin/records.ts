/** The records that operations are on: fields that name them, pages of them, and what is done. */
import { ApiError } from '../base/errors.ts';
import type { Account } from '../store/accounts.ts';
import type { StoreReader } from '../store/control-store.ts';
import { optional, required } from './field.ts';
import { COUNT, ID, pageLimit } from './field-kinds.ts';
import { changed, found, type OperationContext } from './operation.ts';
import { accountView, keyView, offerView, personView, ruleView } from './views.ts';

/** Throws an ApiError 'conflict' so that nobody is locked out of the administration by a date. */
export function requireNoAdminTerms({
  isAdmin,
  contractEndsAtMs,
  offer,
}: Pick<Account, 'isAdmin' | 'contractEndsAtMs' | 'offer'>): void {
  if (!isAdmin || (contractEndsAtMs === null && offer === null)) return;
  throw new ApiError(
    'conflict',
    "An administrator's account can have neither a plan nor an end of contract",
  );
}

const PAGE_ROWS = 100;
const PAGE_ROWS_MAX = 1000;

export const ACCOUNT_ID = required(ID, 'Id of the account', '--identity ID');

export const KEY_ID = required(ID, 'Id of the API key', '--key ID');

export const RULE_ID = required(ID, 'Id of the access rule', '--rule ID');

export const OFFER_ID = required(ID, 'Id of the plan', '--plan ID');

export const PERSON_ID = required(ID, 'Id of the person', '--user ID');

export const PAGE_FIELDS = {
  after: optional(COUNT, 'Show rows after this id; the previous page gives it', '--after ID'),
  limit: optional(
    pageLimit(PAGE_ROWS_MAX),
    `Maximum number of rows; default: ${PAGE_ROWS}`,
    '--limit N',
  ),
};

interface PageRequest {
  readonly after: number | undefined;
  readonly limit: number | undefined;
}

/** A page of rows in the order of their ids; `list` gives up to so many behind an id. */
export async function page<Row, View>(
  { after = 0, limit = PAGE_ROWS }: PageRequest,
  list: (after: number, limit: number) => Promise<readonly Row[]>,
  idOf: (row: Row) => number,
  view: (row: Row) => View | Promise<View>,
) {
  const rows = await list(after, limit + 1);
  const shownRows = rows.slice(0, limit);
  const last = shownRows.at(-1);
  const nextAfter = rows.length > limit && last !== undefined ? idOf(last) : null;
  const data = await Promise.all(shownRows.map(view));
  return found({ data, pagination: { after, limit, next_after: nextAfter } });
}

type ViewContext = Pick<OperationContext<'GET'>, 'store' | 'catalog' | 'nowMs'>;

/** Records by their ids, as errors and the audit log call them, and what operations do with one. */
export function recordsOf<Row, View extends object>(
  [noun, target]: readonly [noun: string, target: string],
  find: (store: StoreReader, id: number) => Promise<Row | null>,
  view: (row: Row, context: ViewContext) => View | Promise<View>,
) {
  /** Rejects with an ApiError 'not found'; for one of another account, too, if that is given. */
  async function existing(store: StoreReader, id: number, accountId?: number): Promise<Row> {
    const row = await find(store, id);
    const isOwn =
      accountId === undefined || (row as { accountId?: number })?.accountId === accountId;
    if (row !== null && isOwn) return row;
    throw new ApiError('not found', `The ${noun} with the specified id is not found`);
  }
  const shown = async (context: ViewContext, id: number) =>
    view(await existing(context.store, id), context);
  /** The outcome of having made one; a secret is in the answer alone. */
  async function made<Secret>(context: OperationContext, id: number, secret?: Secret) {
    const after = await shown(context, id);
    return changed({ ...after, ...(secret as Secret) }, `${target}:${id}`, null, after);
  }
  /** The outcome of a change; what that resolves to is in the audit log alone. */
  async function altered(
    context: OperationContext,
    id: number,
    change: (before: Row) => Promise<unknown>,
  ) {
    const row = await existing(context.store, id);
    const before = await view(row, context);
    const noted = await change(row);
    const after = await shown(context, id);
    return changed(after, `${target}:${id}`, before, { ...after, ...(noted as object) });
  }
  async function deleted<Id extends object>(
    context: OperationContext,
    answered: Id,
    remove: (before: Row) => Promise<void>,
  ) {
    const id: number = Object.values(answered)[0];
    const row = await existing(context.store, id);
    const before = await view(row, context);
    await remove(row);
    return changed({ ...answered, is_deleted: true }, `${target}:${id}`, before, null);
  }
  return { existing, shown, made, altered, deleted, view };
}

export const ACCOUNTS = recordsOf(
  ['account', 'identity'],
  ({ accounts }, id) => accounts.find(id),
  (account, { nowMs }) => accountView(account, nowMs),
);
export const OFFERS = recordsOf(
  ['plan', 'plan'],
  ({ offers }, id) => offers.find(id),
  async (offer, { store }) => offerView(offer, await store.offers.countAccounts(offer.offerId)),
);
export const KEYS = recordsOf(
  ['API key', 'api_key'],
  ({ keys }, id) => keys.find(id),
  (key, { nowMs }) => keyView(key, nowMs),
);
export const RULES = recordsOf(
  ['access rule', 'rule'],
  ({ rules }, id) => rules.find(id),
  (rule, { catalog }) => ruleView(rule, catalog),
);
export const PEOPLE = recordsOf(
  ['person', 'person'],
  ({ people }, id) => people.find(id),
  personView,
);
