/** Operations that read what has been recorded: usage, single requests, and the audit log. */
import { isoSeconds } from '../base/clock.ts';
import { addDays } from '../request/literals.ts';
import { legalText } from '../schema/schema.ts';
import type { AuditEntry, AuditFilter } from '../store/audit-log.ts';
import {
  addUsage,
  noUsage,
  QUANTITIES,
  QUANTITY_NAMES,
  STEP_STATUS,
  type UsageAmounts,
} from '../store/quantities.ts';
import {
  type DayUsage,
  type LatestRequests,
  type LedgerRow,
  SESSION_KEY_ID,
  utcDay,
} from '../store/usage.ts';
import {
  AUDIT_ENTRY,
  AUDIT_PAGE,
  COUNTED_REQUEST_PAGE,
  LEDGER_PAGE,
  MONTHLY_USAGE,
  USAGE,
} from './answers.ts';
import { type AuditNames, actorName, auditNames, auditSummary } from './audit-words.ts';
import { optional, refuse } from './field.ts';
import { choiceOf, DATASET, DATE, FLAG, ID, MONTH, SEARCHED_TEXT, TIME } from './field-kinds.ts';
import { found, type Operation, operation } from './operation.ts';
import { ACCOUNT_ID, ACCOUNTS, PAGE_FIELDS, page } from './records.ts';
import { amountsView, viewOf } from './views.ts';

const USAGE_DAYS_MAX = 366;

function dayView(usage: DayUsage) {
  const { day, datasetId, keyId } = usage;
  return {
    day,
    dataset_id: datasetId || null,
    key_id: keyId === SESSION_KEY_ID ? null : keyId,
    ...amountsView(usage),
  };
}

function totalOf(days: readonly DayUsage[]): UsageAmounts {
  const sums = noUsage();
  for (const day of days) addUsage(sums, day);
  return sums;
}

/** If only the start was given, blame it. */
function requireShortRange(from: string, to: string, isEndGiven: boolean): void {
  const [field, input] = isEndGiven ? ['to', to] : ['from', from];
  if (to < from) {
    const complaint = isEndGiven
      ? `should not be before the start, ${from}`
      : `should not be after today, ${to}`;
    refuse(field, 'end_before_start', complaint, input);
  }
  if (to <= addDays(from, USAGE_DAYS_MAX - 1)) return;
  const complaint = isEndGiven
    ? `should be at most ${USAGE_DAYS_MAX - 1} days after ${from}`
    : `should be at most ${USAGE_DAYS_MAX - 1} days before today, ${to}`;
  refuse(field, 'range_too_long', complaint, input);
}

export const showUsage = operation({
  name: 'showUsage',
  summary: 'show the usage of an account by day (UTC), dataset and key',
  endpoint: 'GET /identities/:identity_id/usage',
  command: 'usage',
  fields: {
    identity_id: ACCOUNT_ID,
    from: optional(DATE, "First day; default: the first of the last day's month", '--from D'),
    to: optional(DATE, `Last day, at most ${USAGE_DAYS_MAX} days in all; default: today`, '--to D'),
  },
  answer: USAGE,
  run: async ({ store, nowMs }, values) => {
    const to = values.to ?? utcDay(nowMs);
    const from = values.from ?? `${to.slice(0, 8)}01`;
    requireShortRange(from, to, values.to !== undefined);
    const { accountId } = await ACCOUNTS.existing(store, values.identity_id);
    const days = await store.usage.listDays(accountId, { firstDay: from, lastDay: to });
    return found({
      identity_id: accountId,
      from,
      to,
      data: days.map(dayView),
      total: amountsView(totalOf(days)),
    });
  },
});

function entryView(entry: AuditEntry, names: AuditNames) {
  const words = { actorName: actorName(entry.actor, names), summary: auditSummary(entry, names) };
  return viewOf(AUDIT_ENTRY, { ...entry, ...words });
}

/** As the log names who acts: by id, or a user of the machine. */
const ACTOR_REFERENCE = /^(identity:\d+(\/key:\d+)?|key:\d+|person:\d+|local:.+)$/;

/** Anything else is what people call them. */
function actorFilter(actor: string | undefined): Pick<AuditFilter, 'actor' | 'actorName'> {
  if (actor === undefined) return {};
  return ACTOR_REFERENCE.test(actor) ? { actor } : { actorName: actor.normalize('NFC') };
}

const listAuditLog = operation({
  name: 'listAuditLog',
  summary: 'list what administrators and loads have changed, oldest first by default',
  endpoint: 'GET /audit-log',
  command: 'audit',
  fields: {
    actor: optional(
      SEARCHED_TEXT,
      'Who acted: a person by e-mail, an account or key by name, or identity:ID, key:ID, person:ID, local:NAME',
      '--actor WHO',
    ),
    operation: optional(
      SEARCHED_TEXT,
      'Name of an operation, such as createApiKey',
      '--operation NAME',
    ),
    target: optional(
      SEARCHED_TEXT,
      'What was changed: identity:ID, api_key:ID, rule:ID, person:ID or dataset:ID',
      '--target WHAT',
    ),
    from: optional(TIME, `From this time on: ${legalText(TIME)}`, {
      option: '--from TIME',
      description: 'from this time on; a date means 00:00 UTC',
    }),
    to: optional(TIME, `Before this time: ${legalText(TIME)}`, {
      option: '--to TIME',
      description: 'before this time; a date means 00:00 UTC',
    }),
    newest_first: optional(FLAG, 'Newest first; default: false', '--newest-first'),
    ...PAGE_FIELDS,
  },
  answer: AUDIT_PAGE,
  run: async ({ store, catalog }, values) => {
    const { actor, operation, target, from, to } = values;
    const filter = { ...actorFilter(actor), operation, target, fromMs: from, toMs: to };
    const order = values.newest_first ? 'newest first' : 'oldest first';
    const { answer } = await page(
      values,
      (after, limit) => store.audit.list(filter, order, after, limit),
      ({ auditId }) => auditId,
      (entry) => entry,
    );
    const names = await auditNames(store, catalog, answer.data);
    return found({ ...answer, data: answer.data.map((entry) => entryView(entry, names)) });
  },
});

export const RECORD_OPERATIONS: readonly Operation[] = [showUsage, listAuditLog];

const PAGE_ROWS = 100;

/** A request, as its account may see it. */
function requestView(entry: LedgerRow) {
  const used = QUANTITY_NAMES.map((name) => [name, QUANTITIES[name].adds.month(entry)]);
  return {
    ledger_id: entry.ledgerId,
    request_id: entry.requestId,
    answered_at: isoSeconds(entry.answeredAtMs),
    dataset_id: entry.datasetId || null,
    dataset_version: entry.datasetVersion,
    key_id: entry.keyId === SESSION_KEY_ID ? null : entry.keyId,
    path: entry.path,
    status: entry.status,
    reason: entry.reason || null,
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
    const { accountId } = await ACCOUNTS.existing(store, values.identity_id);
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

const MONTHS_MAX = 120;

/** How many months lie between two, both counted. */
function monthCount(from: string, to: string): number {
  const numberOf = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
  return numberOf(to) - numberOf(from) + 1;
}

const ACCOUNT = optional(ID, 'Only of this account; default: all', '--identity ID');

const TABLE_FORMATS = ['json', 'csv'] as const;

/** The field `format` of operations that also answer CSV. */
function format(description: string) {
  return optional(choiceOf(TABLE_FORMATS), 'Format of the answer, json or csv; default: json', {
    option: '--csv',
    flag: 'csv',
    description,
  });
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
    if (values.identity_id !== undefined) await ACCOUNTS.existing(store, values.identity_id);
    const range = { firstMonth: from, lastMonth: to };
    const months = await store.usage.listMonths(values.identity_id ?? null, range);
    const names = new Map<number, string>();
    for (const id of new Set(months.map(({ accountId }) => accountId))) {
      names.set(id, (await store.accounts.find(id))?.name ?? '');
    }
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
    if (accountId !== null) await ACCOUNTS.existing(store, accountId);
    const filter = { accountId, fromMs: from, toMs: to };
    return await page(
      values,
      (after, limit) => store.usage.listLedger(filter, after, limit),
      ({ ledgerId }) => ledgerId,
      (row) => ({ ...requestView(row), identity_id: row.accountId, symbols: row.symbols }),
    );
  },
});

export const BILLING_OPERATIONS: readonly Operation[] = [showMonths, listLedger];
