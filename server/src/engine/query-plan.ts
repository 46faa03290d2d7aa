/** A data request as the engine runs it, with nothing left to decide. */
import type { AdjustmentChoice } from '@ticklake/market/adjustment.ts';
import type { SessionName } from '@ticklake/market/sessions.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { Interval } from '../catalog/interval.ts';
import type { PlannedGroups } from './groups.ts';
import type { OperatorOf } from './operators.ts';
import type { BoundValue, Part, RowRange } from './part.ts';

export type Comparison = OperatorOf<'value'>;

/**
 * One condition; a plan's conditions all hold. Values are typed by the column: integer,
 * date-time (UTC nanoseconds) and decimal (units of its last digit) as bigint, number as number,
 * boolean as boolean, date as `YYYY-MM-DD`, string as string.
 * On an array column `eq`, `in` and `like` hold when any element matches.
 */
export type Predicate =
  | { readonly column: Column; readonly operator: Comparison; readonly value: BoundValue }
  | ListPredicate
  | {
      readonly column: Column;
      readonly operator: OperatorOf<'pattern'>;
      /** `*` stands for any run of characters, every other character for itself. */
      readonly pattern: string;
    };

export interface ListPredicate {
  readonly column: Column;
  readonly operator: OperatorOf<'list'>;
  readonly values: readonly BoundValue[];
}

/** The rows with one of the identifiers. */
export interface IdentifierList extends ListPredicate {
  readonly operator: 'in';
}

/** Dates from `start` to `end`, both inclusive. */
export interface DateSpan {
  readonly start: string;
  readonly end: string;
}

/** Only rows whose date is inside it may pass, and perhaps those that have no date. */
export interface DateWindow extends DateSpan {
  readonly column: Column;
  readonly passesUndated: boolean;
}

/** Rows that the account may read: those inside the window and of the universe. */
export interface Grant {
  /** Null: all that the predicates let pass, or a dataset without a date column. */
  readonly window: DateWindow | null;
  /** Null: every identifier. Otherwise one of these has to hold, so none of them is no row. */
  readonly universe: readonly IdentifierList[] | null;
}

/** The cost of reading the row groups that remain after pruning. */
export interface Scan {
  readonly rowCount: number;
  readonly byteCount: number;
}

/** How rows are restated by adjustment factors on their way to the renderer. */
export interface Restatement extends AdjustmentChoice {
  /** The dataset of the adjusted rows as they are stored. */
  readonly adjusted: Dataset;
  /** The dataset of the rows as they were traded, which the parts of the plan are of. */
  readonly raw: Dataset;
  /** Finds the events. */
  readonly factors: QueryPlan;
}

/** Longer bars as they are put together. */
export interface PlannedBars {
  readonly interval: Interval;
  /** First readable day asked for; no bar is dated before. Null: any. */
  readonly firstDate: string | null;
  /** Columns whose values tell bars apart, of those that the dataset names; absent: all. */
  readonly by?: readonly string[];
  /** The contract of each session, if bars of a continuous contract go over midnight. */
  readonly contracts?: readonly ContractSpan[];
  /** If bars are of sessions that begin on evenings: which sessions. */
  readonly sessions?: {
    readonly dates: readonly Predicate[];
    /** One has to hold the session's date and its identifier; null: one of them holds all. */
    readonly grants: readonly SessionGrant[] | null;
    /** Finds the rows of the sessions, and others, in place of the conditions of the plan. */
    readonly rows: Pick<QueryPlan, 'predicates' | 'grants'>;
  };
}

export interface SessionGrant extends Grant {
  readonly window: DateWindow;
}

/** Dates on which a contract has the rank. */
export interface ContractSpan extends DateSpan {
  readonly ticker: string;
}

/** Why no contract has a rank: no figures that are recent enough, or fewer contracts. */
export type GapReason = 'no_volume' | 'no_open_interest' | 'too_few_contracts';

/** Dates on which no contract has the rank. */
export interface RollGap extends DateSpan {
  readonly reason: GapReason;
}

/** The contracts that a continuous one stands for. */
export interface Rolls {
  readonly symbol: string;
  readonly root: string;
  /** The dataset by which contracts are ranked, and its version. */
  readonly ranking: Dataset;
  readonly version: number;
  /** In ascending order, none overlaps another. */
  readonly spans: readonly ContractSpan[];
  /** As above, for dates outside all spans. */
  readonly gaps: readonly RollGap[];
  /** The first session after the ranked dates, by what is known of it; null: no contract. */
  readonly next: ContractSpan | null;
}

/** `standIns` are those of the plan's predicates that stand in place of one on the symbol. */
export interface PlannedRolls extends Rolls {
  readonly standIns: readonly Predicate[];
}

export interface QueryPlan {
  readonly dataset: Dataset;
  /** Version of the dataset that the plan was made against; null when nothing is published. */
  readonly version: number | null;
  /** Only those that may hold rows, in natural order. */
  readonly parts: readonly Part[];
  /**
   * Parts of an earlier state of the dataset: the plan then finds the rows that differ, see
   * `row-changes.ts`. Undefined: it finds the rows of `parts`.
   */
  readonly comparedParts?: readonly Part[];
  /**
   * The rows of the identifier order of each of `parts` that may match, in ascending order: they
   * are read instead of the natural order, and found in it. Undefined: the natural order is read.
   */
  readonly identifierRows?: readonly (readonly RowRange[])[];
  /**
   * The rows of each of `parts` that may match in natural order, in ascending order, as their row
   * groups say. An engine may look for itself. Undefined: any may.
   */
  readonly naturalRows?: readonly (readonly RowRange[])[];
  readonly predicates: readonly Predicate[];
  /** The account's entitlement: a row passes if one of these lets it; without any, no row does. */
  readonly grants: readonly Grant[];
  /** The dates that are read; null where the request itself says which, or they have none. */
  readonly closedDates: DateSpan | null;
  /** The date that `latest` stood for in the request; undefined: the request does not say it. */
  readonly latestDate?: string;
  readonly columns: readonly Column[];
  /** Empty: natural order. Ties always fall back to natural order. */
  readonly sort: readonly { readonly column: Column; readonly descending: boolean }[];
  readonly offset: number;
  readonly limit: number;
  /**
   * The rows of the answer are longer bars, put together of those that the plan finds. Columns,
   * sort, offset and limit are theirs, so that engines are not asked to find such a plan:
   * `intervals/plan-source.ts` asks for the stored bars.
   */
  readonly bars?: PlannedBars;
  /** Only rows of the session are in the answer. Columns, sort, offset and limit are theirs. */
  readonly session?: SessionName;
  /**
   * The rows of the answer are those that the plan finds, restated. Columns, sort, offset and limit
   * are theirs, so that engines are not asked to find such a plan: `intervals/plan-source.ts` asks
   * for the rows as they were traded.
   */
  readonly restatement?: Restatement;
  /**
   * The rows of the answer are groups of those that the plan finds, in the order of their keys.
   * Columns, offset and limit are theirs; `EngineReader.aggregate` is asked for them.
   */
  readonly groups?: PlannedGroups;
  /** The plan answers a request for a continuous contract; predicates and grants find its rows. */
  readonly rolls?: PlannedRolls;
  /** Rows and stored bytes of the row groups that remain after pruning. */
  readonly scannedRows: number;
  readonly scannedBytes: number;
  /** As above for each of `parts`, if the plan may be split by parts. */
  readonly partScans?: readonly Scan[];
  /** For whom the engine keeps what it keeps for the plan; undefined: for nobody in particular. */
  readonly holder?: number;
}

/** True if the answer's rows are chosen or computed from those that the plan finds. */
export function isMade({ bars, session, restatement, groups }: QueryPlan): boolean {
  return [bars, session, restatement, groups].some((making) => making !== undefined);
}

/** The datasets whose rules decide which rows the plan finds. */
export function ruledDatasets({ dataset, restatement, rolls }: QueryPlan): readonly Dataset[] {
  if (rolls) return [dataset, rolls.ranking];
  if (restatement === undefined) return [dataset];
  const { raw, adjusted, factors } = restatement;
  return [raw, adjusted, factors.dataset];
}

/** The columns of a plan, and those that it sorts by and does not answer with. */
export function sortedColumns({ columns, sort }: QueryPlan): readonly Column[] {
  const names = new Set(columns.map(({ name }) => name));
  return [...columns, ...sort.map(({ column }) => column).filter(({ name }) => !names.has(name))];
}

/** A plan whose answer are groups. */
export type GroupedPlan = QueryPlan & { readonly groups: PlannedGroups };

export function isGrouped(plan: QueryPlan): plan is GroupedPlan {
  return plan.groups !== undefined;
}

/** The plan of all rows that are grouped, in the columns looked at, or else in the first. */
export function rowsOfGroups(plan: GroupedPlan): QueryPlan {
  const { groups, ...rows } = plan;
  const { keys, measures } = groups;
  const read = [...keys.map(({ column }) => column), ...measures.flatMap(({ columns }) => columns)];
  const some = read.length > 0 ? read : plan.dataset.columns.slice(0, 1);
  const columns = [...new Map(some.map((column) => [column.name, column])).values()];
  return { ...rows, columns, sort: [], offset: 0, limit: Number.MAX_SAFE_INTEGER - 1 };
}
