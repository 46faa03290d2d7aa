/** Operations for invoices: usage by account and month, and its ledger. */

import { type LedgerRow, type MonthUsage, utcDay } from '../store/usage.ts';
import { LEDGER_PAGE, MONTHLY_USAGE } from './answers.ts';
import { optional, refuse } from './field.ts';
import { choiceOf, ID, MONTH, TIME } from './field-kinds.ts';
import { found, type Operation, type OperationContext, operation } from './operation.ts';
import { requestView } from './request-operations.ts';
import { existingAccount, PAGE_FIELDS, page } from './shared-fields.ts';
import { amountsView } from './views.ts';

const MONTHS_MAX = 120;

/** How many months lie between two, both counted. */
function monthCount(from: string, to: string): number {
  const numberOf = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
  return numberOf(to) - numberOf(from) + 1;
}

const ACCOUNT = optional(ID, 'Only of this account; default: all', '--identity ID');

export const TABLE_FORMATS = ['json', 'csv'] as const;

/** The field `format` of operations that also answer CSV. */
function format(description: string) {
  return optional(choiceOf(TABLE_FORMATS), 'Format of the answer, json or csv; default: json', {
    option: '--csv',
    flag: 'csv',
    description,
  });
}

async function namesOf(
  { store }: Pick<OperationContext<'GET'>, 'store'>,
  rows: readonly MonthUsage[],
): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  for (const id of new Set(rows.map(({ accountId }) => accountId))) {
    names.set(id, (await store.accounts.find(id))?.name ?? '');
  }
  return names;
}

const showMonths = operation({
  name: 'showUsageByMonth',
  summary: 'show what accounts have used in each month (UTC), for invoices',
  endpoint: 'GET /usage-by-month',
  command: 'usage-by-month',
  fields: {
    identity_id: ACCOUNT,
    from: optional(MONTH, 'First month, YYYY-MM; default: the last one', '--from MONTH'),
    to: optional(
      MONTH,
      `Last month, at most ${MONTHS_MAX} in all; default: this one`,
      '--to MONTH',
    ),
    response_format: format('print the rows as CSV'),
  },
  answer: MONTHLY_USAGE,
  refusals: ['not found'],
  run: async (context, values) => {
    const { store, nowMs } = context;
    const to = values.to ?? utcDay(nowMs).slice(0, 7);
    const from = values.from ?? to;
    if (to < from)
      refuse('from', 'end_before_start', `should not be after the last month, ${to}`, from);
    if (monthCount(from, to) > MONTHS_MAX) {
      refuse(
        'from',
        'range_too_long',
        `should be less than ${MONTHS_MAX} months before ${to}`,
        from,
      );
    }
    if (values.identity_id !== undefined) await existingAccount(store, values.identity_id);
    const range = { firstMonth: from, lastMonth: to };
    const months = await store.usage.listMonths(values.identity_id ?? null, range);
    const names = await namesOf(context, months);
    const data = months.map((month) => ({
      month: month.month,
      identity_id: month.accountId,
      name: names.get(month.accountId) ?? '',
      ...amountsView(month),
      row_count: month.rowCount,
      symbol_count: month.symbolCount,
    }));
    return found({ from, to, data });
  },
});

function ledgerView(row: LedgerRow) {
  return { ...requestView(row), identity_id: row.accountId, symbols: row.symbols };
}

const listLedger = operation({
  name: 'listUsageLedger',
  summary: 'list the requests that were counted, oldest first',
  endpoint: 'GET /usage-ledger',
  command: 'usage-ledger',
  fields: {
    identity_id: ACCOUNT,
    from: optional(TIME, 'From this time on; default: all that the ledger keeps', {
      option: '--from TIME',
      description: 'from this time on; a date means 00:00 UTC',
    }),
    to: optional(TIME, 'Before this time', {
      option: '--to TIME',
      description: 'before this time; a date means 00:00 UTC',
    }),
    response_format: format('print the rows as CSV; all of them unless there is a --limit'),
    ...PAGE_FIELDS,
  },
  answer: LEDGER_PAGE,
  refusals: ['not found'],
  run: async ({ store }, values) => {
    const { identity_id: accountId = null, from = 0, to = Number.MAX_SAFE_INTEGER } = values;
    if (accountId !== null) await existingAccount(store, accountId);
    const filter = { accountId, fromMs: from, toMs: to };
    return found(
      await page(
        { after: values.after, limit: values.limit },
        (after, limit) => store.usage.listLedger(filter, after, limit),
        ({ ledgerId }) => ledgerId,
        ledgerView,
      ),
    );
  },
});

export const BILLING_OPERATIONS: readonly Operation[] = [showMonths, listLedger];
