/** The changes of an audit log entry, field by field. */
import type { AuditEntry } from '@ticklake/client';

type AuditState = NonNullable<AuditEntry['before']>;

export interface Difference {
  /** The way to the value: `quotas_limit.month.requests`. */
  readonly field: string;
  /** Null where the field was not there. */
  readonly before: string | null;
  readonly after: string | null;
}

function isObject(value: unknown): value is AuditState {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  if (value === null) return 'none';
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? '(empty)' : value.map(valueText).join(', ');
}

/** Every value that is no object, with the way to it. */
function leavesOf(state: AuditState, way: readonly string[] = []): [string, string][] {
  return Object.entries(state).flatMap(([name, value]): [string, string][] =>
    isObject(value)
      ? leavesOf(value, [...way, name])
      : [[[...way, name].join('.'), valueText(value)]],
  );
}

const NAMING_FIELDS = ['email', 'name', 'dataset_name', 'dataset_id'];

/** A readable name of the entry's target; '' if there is none. */
export function subjectOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string {
  const state = after ?? before ?? {};
  const names = NAMING_FIELDS.map((field) => state[field]);
  return names.find((name) => typeof name === 'string') ?? '';
}

/** Only what differs; of what was created or deleted, everything. */
export function differences(
  before: AuditState | null,
  after: AuditState | null,
): readonly Difference[] {
  const old = new Map(leavesOf(before ?? {}));
  const now = new Map(leavesOf(after ?? {}));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({
      field,
      before: old.get(field) ?? null,
      after: now.get(field) ?? null,
    }))
    .filter((difference) => difference.before !== difference.after);
}
