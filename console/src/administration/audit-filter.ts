/** Which entries of the audit log are shown, as the address says it. */

const NAMES = ['actor', 'operation', 'target', 'from', 'to'] as const;
export type AuditFilterName = (typeof NAMES)[number];

/** `from` and `to` are days in UTC, both inclusive. */
export type AuditFilter = Readonly<Partial<Record<AuditFilterName, string>>>;

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;

function isUsable(name: AuditFilterName, value: unknown): value is string {
  if (typeof value !== 'string' || value === '') return false;
  return (
    (name !== 'from' && name !== 'to') || (DAY.test(value) && !Number.isNaN(Date.parse(value)))
  );
}

export function readAuditFilter(search: Readonly<Record<string, unknown>>): AuditFilter {
  const given = NAMES.filter((name) => isUsable(name, search[name]));
  return Object.fromEntries(given.map((name) => [name, search[name]]));
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}

/** The newest first; the interface takes the end of the window as exclusive. */
export function auditParameters(filter: AuditFilter): Readonly<Record<string, string>> {
  return { newest_first: 'true', ...filter, ...(filter.to && { to: dayAfter(filter.to) }) };
}
