/** Operations that read what has been recorded: usage, and the audit log. */

import { isoSeconds } from '../base/clock.ts';
import { addDays } from '../request/literals.ts';
import { legalText } from '../schema/schema.ts';
import type { AuditEntry, AuditFilter } from '../store/audit-log.ts';
import { addUsage, noUsage, type UsageAmounts } from '../store/quantities.ts';
import { type DayUsage, SESSION_KEY_ID, utcDay } from '../store/usage.ts';
import { AUDIT_PAGE, USAGE } from './answers.ts';
import { type AuditNames, actorName, auditNames, auditSummary } from './audit-words.ts';
import { optional, refuse } from './field.ts';
import { DATE, FLAG, SEARCHED_TEXT, TIME } from './field-kinds.ts';
import { found, type Operation, operation } from './operation.ts';
import { ACCOUNT_ID, existingAccount, PAGE_FIELDS, page } from './shared-fields.ts';
import { amountsView } from './views.ts';

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
    const { accountId } = await existingAccount(store, values.identity_id);
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
  return {
    audit_id: entry.auditId,
    happened_at: isoSeconds(entry.happenedAtMs),
    actor: entry.actor,
    actor_name: actorName(entry.actor, names),
    summary: auditSummary(entry, names),
    source: entry.source,
    operation: entry.operation,
    target: entry.target,
    before: entry.before,
    after: entry.after,
  };
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
    const { data, pagination } = await page(
      { after: values.after, limit: values.limit },
      (after, limit) => store.audit.list(filter, order, after, limit),
      ({ auditId }) => auditId,
      (entry) => entry,
    );
    const names = await auditNames(store, catalog, data);
    return found({ data: data.map((entry) => entryView(entry, names)), pagination });
  },
});

export const RECORD_OPERATIONS: readonly Operation[] = [showUsage, listAuditLog];
