/** The rows that access rules permit, by a plain program written from the interface's rules. */
import type { Row } from '../oracle/read-rows.ts';
import type { OracleFilter, OracleRequest } from '../oracle/select-rows.ts';
import type { Subject } from './subjects.ts';

export interface Rule {
  readonly startDate: string;
  readonly endDate: string | null;
  readonly universe: readonly string[];
  /** Absent: every column. */
  readonly columns?: readonly string[];
}

const hasColumn = ({ columns }: Rule, name: string) => columns?.includes(name) ?? true;

/**
 * The rules that answer a request: those that have all columns that it names. Null: it has to be
 * refused, since a column is unknown to the account, or no rule has them together.
 */
export function answeringRules<R extends Rule>(
  rules: readonly R[],
  { columns, filters, sort }: OracleRequest,
): readonly R[] | null {
  const named = [...(columns ?? []), ...[...filters, ...sort].map(({ column }) => column)];
  const answering = rules.filter((rule) => named.every((name) => hasColumn(rule, name)));
  return answering.length > 0 ? answering : null;
}

/** The columns that all rules have, of those of the dataset. */
export function commonColumns<C extends { readonly name: string }>(
  rules: readonly Rule[],
  columns: readonly C[],
): readonly C[] {
  return columns.filter(({ name }) => rules.every((rule) => hasColumn(rule, name)));
}

function isId(subject: Subject, identifier: string): boolean {
  return subject.idColumn !== null && /^\d+$/.test(identifier);
}

function isAbout(subject: Subject, row: Row, identifier: string): boolean {
  if (isId(subject, identifier)) {
    return String(row[subject.idColumn as string]) === identifier;
  }
  return subject.nameColumns.some((name) => {
    const cell = row[name] ?? null;
    return Array.isArray(cell)
      ? (cell as readonly unknown[]).includes(identifier)
      : cell === identifier;
  });
}

function holdsDate(rule: Rule, date: string, today: string): boolean {
  return rule.startDate <= date && date <= (rule.endDate ?? today);
}

/** `today` is later than every date of the rows. */
export function isPermitted(subject: Subject, rules: readonly Rule[], row: Row, today: string) {
  const date = subject.dateColumn === null ? null : (row[subject.dateColumn] ?? null);
  return rules.some((rule) => {
    if (rule.startDate > today) return false;
    const asOf = date ?? today;
    if (!holdsDate(rule, String(asOf), today)) return false;
    return rule.universe.length === 0 || rule.universe.some((id) => isAbout(subject, row, id));
  });
}

/** Days from a bound to the nearest day that it admits. */
const DAYS_TO_ADMITTED: Readonly<Record<string, number>> = { gt: 1, lt: -1 };

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** True if a filter names a date outside all rules, as is the nearest date its bound admits. */
export function namesOutsideDate(
  subject: Subject,
  rules: readonly Rule[],
  filters: readonly OracleFilter[],
  today: string,
): boolean {
  const isOutside = (date: string) => !rules.some((rule) => holdsDate(rule, date, today));
  return filters
    .filter(({ column }) => column === subject.dateColumn)
    .some(({ operator, values }) =>
      values
        .map(String)
        .some(
          (date) => isOutside(date) && isOutside(dayAfter(date, DAYS_TO_ADMITTED[operator] ?? 0)),
        ),
    );
}

function isIn(subject: Subject, { column, values }: OracleFilter, rule: Rule): boolean {
  const [asked] = values.map(String) as [string];
  const isByName = column !== subject.idColumn;
  const isMixed = rule.universe.some((id) => isId(subject, id) === isByName);
  const isRelated = rule.universe.some((id) => asked.startsWith(id) || id.startsWith(asked));
  return rule.universe.length === 0 || isMixed || isRelated;
}

/**
 * True if a filter names an identifier that certainly no rule permits: on the one requested date,
 * or on any date if none is requested. Nothing is certain if the universe may use another name.
 */
export function namesOutsideIdentifier(
  subject: Subject,
  rules: readonly Rule[],
  filters: readonly OracleFilter[],
  today: string,
): boolean {
  const ofDate = filters.filter(({ column }) => column === subject.dateColumn);
  const [first, ...others] = ofDate;
  if (others.length > 0 || (first && first.operator !== 'eq')) return false;
  const date = first ? String(first.values[0]) : null;
  const held = rules.filter((rule) => date === null || holdsDate(rule, date, today));
  const asked = held.length > 0 ? held : rules;
  return filters
    .filter(({ column, operator }) => {
      const isNamed = subject.nameColumns.includes(column) || column === subject.idColumn;
      return operator === 'eq' && isNamed;
    })
    .some((filter) => !asked.some((rule) => isIn(subject, filter, rule)));
}
