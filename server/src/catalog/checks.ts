/** Checks that a definition states for its rows, and what a violation does to a load. */
/** `refuse`: nothing of the load is published. `warn`: it is, and the report tells of it. */
export const SEVERITIES = ['refuse', 'warn'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const RELATION_OPERATORS = ['<=', '>=', '!=', '<', '>', '='] as const;

/** A relation in the text of a definition: column, operator, column. */
export const RELATION_PATTERN =
  /^ *(?<left>[A-Z][A-Za-z0-9]*) *(?<operator><=|>=|!=|<|>|=) *(?<right>[A-Z][A-Za-z0-9]*) *$/;

export interface Relation {
  readonly left: string;
  readonly operator: (typeof RELATION_OPERATORS)[number];
  readonly right: string;
}

/** A number, or a date as `YYYY-MM-DD`. */
export type Bound = number | string;

/**
 * One rule that rows are held to. Null keeps every rule but `required`, and equals null in `keys`.
 * - `keys`: no two rows of the dataset have the same values in all of the columns.
 * - `required`: there is a value; text is not empty and has no spaces around it, an array has an
 * item.
 * - `range`: not below `min` and not above `max`, either of which may be null; dates as
 * `YYYY-MM-DD`.
 * - `session`: a time lies in the session of the row's date, which begins `beforeMidnightSeconds`
 * before that date does by the market's clock (after it, where negative), and lasts a day.
 * - `trading_days`: a trading day of the dataset's calendar.
 */
export type CheckRule =
  | { readonly kind: 'keys'; readonly columns: readonly string[] }
  | { readonly kind: 'required'; readonly column: string }
  | {
      readonly kind: 'range';
      readonly column: string;
      readonly min: Bound | null;
      readonly max: Bound | null;
    }
  | ({ readonly kind: 'relation' } & Relation)
  | {
      readonly kind: 'session';
      readonly column: string;
      readonly dateColumn: string;
      readonly beforeMidnightSeconds: number;
    }
  | { readonly kind: 'trading_days'; readonly column: string };

/** A date is at most so many days after the day of the load, by the market's clock. */
interface LatestRule {
  readonly kind: 'latest';
  readonly column: string;
  readonly daysAhead: number;
}

export interface DatasetCheck {
  /** As reports call it: `keys TradeDate, Ticker`, `LowPrice <= HighPrice`. */
  readonly name: string;
  readonly severity: Severity;
  readonly rule: CheckRule | LatestRule;
  /** True: rows on days that lead up to the least date are only warned of. */
  readonly isOfStart?: boolean;
}

/** The columns that a rule speaks of, in the order in which reports show them. */
export function columnsOfRule(rule: DatasetCheck['rule']): readonly string[] {
  if (rule.kind === 'keys') return rule.columns;
  if (rule.kind === 'relation') return [rule.left, rule.right];
  return rule.kind === 'session' ? [rule.column, rule.dateColumn] : [rule.column];
}

/** The relation in a text; null: it is none. */
export function relationOf(text: string): Relation | null {
  const found = RELATION_PATTERN.exec(text)?.groups;
  return found ? (found as unknown as Relation) : null;
}
