/**
 * Explains how a request for rows comes out by the rules of its account: which of them decide about
 * its dates, identifiers, columns and rows, and what would change that. Says nothing that the rules
 * and the answer to the request itself do not say.
 */
import { ADJUSTMENT_COLUMNS } from '@ticklake/market/adjustment.ts';
import { ApiError, type ErrorKind } from '../base/errors.ts';
import { isRestatable } from '../catalog/derivation.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { hidesColumns, rulesWithColumns } from '../plan/column-rights.ts';
import { namedColumns } from '../plan/conditions.ts';
import { findDays } from '../plan/date-range.ts';
import { IdentifierRefusal } from '../plan/entitlement.ts';
import type { DataRequest } from '../request/data-request.ts';
import { isRestated } from '../request/standard-parameters.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { planBySymbols } from './plan-by-symbols.ts';
import type { AskedRows } from './plan-request.ts';
import { accountOf, type Reader } from './reader.ts';

/** Parts of a request, in the order in which they are judged. */
export const DECIDED_PARTS = [
  'dataset',
  'request',
  'columns',
  'identifiers',
  'dates',
  'rows',
] as const;
export const OUTCOMES = ['allowed', 'narrowed', 'refused'] as const;

export interface Decision {
  readonly part: (typeof DECIDED_PARTS)[number];
  readonly outcome: (typeof OUTCOMES)[number];
  /** The rules that decide. */
  readonly rules: readonly AccessRule[];
  readonly reason: string;
  /** A step that would change the outcome; null: none is needed. */
  readonly remedy: string | null;
}

export interface Explanation {
  /**
   * The account's rules for the dataset, then for those that its rows are made of on request, of
   * each the oldest window first.
   */
  readonly rules: readonly AccessRule[];
  /** How the request would be refused; null: it would be answered. */
  readonly refusal: ErrorKind | null;
  readonly canonicalRequest: string | null;
  readonly decisions: readonly Decision[];
}

const FACTORS: readonly string[] = ADJUSTMENT_COLUMNS;

/** How a part is decided, apart from its name. */
type Deciding = Omit<Decision, 'part'>;

function allowed(rules: readonly AccessRule[], reason: string): Deciding {
  return { outcome: 'allowed', rules, reason, remedy: null };
}

function decideColumns(
  request: DataRequest,
  plan: QueryPlan,
  rules: readonly AccessRule[],
): Deciding {
  // Factors are no columns of rows as traded.
  const names = namedColumns(request).map(([name]) => name);
  const traded = names.filter((name) => !FACTORS.includes(name));
  const answering = rules.filter((rule) => {
    const isOfTraded = rule.datasetId === plan.restatement?.raw.datasetId;
    return rulesWithColumns(plan.dataset, [rule], isOfTraded ? traded : names).length > 0;
  });
  if (answering.length < rules.length) {
    return {
      outcome: 'narrowed',
      rules: answering,
      reason:
        'Only these rules have every column that the request names; rows of others are left out',
      remedy: 'Name fewer columns, or ask for rules that have them',
    };
  }
  if (!rules.some(hidesColumns)) return allowed(rules, 'These rules let every column through');
  const remedy = 'Ask for a rule that names more columns';
  return { ...allowed(rules, 'These rules name the columns that exist'), remedy };
}

function decideIdentifiers({ grants }: QueryPlan, rules: readonly AccessRule[]): Deciding {
  if (grants.every(({ universe }) => universe === null)) {
    return allowed(rules, 'These rules let every identifier through');
  }
  return {
    outcome: 'narrowed',
    rules: rules.filter(({ universe }) => universe.length > 0),
    reason: 'On their dates, these rules let only rows of their identifiers through',
    remedy: 'Ask for a rule with more identifiers, or with every one',
  };
}

function decideDates({ closedDates }: QueryPlan, rules: readonly AccessRule[]): Deciding {
  if (closedDates === null) {
    return allowed(rules, 'No rule or look-back period limits the dates that the request names');
  }
  const { start, end } = closedDates;
  return {
    outcome: 'narrowed',
    rules,
    reason: `The windows of these rules, or the look-back period, leave ${start} to ${end}`,
    remedy: 'Name other dates or a longer period, or ask for a rule with a longer window',
  };
}

function decideRows({ grants }: QueryPlan, rules: readonly AccessRule[]): Deciding {
  if (grants.length > 0) {
    const reason = 'A row is read if one of these rules holds both its date and its identifier';
    return allowed(rules, reason);
  }
  return {
    outcome: 'narrowed',
    rules: [],
    reason: 'No rule lets a row of these dates through',
    remedy: 'Name other dates, or ask for a rule that holds these',
  };
}

/** The rules whose windows have one of the days that the plan reads. */
function rulesMeeting({ dataset, predicates }: QueryPlan, rules: readonly AccessRule[]) {
  const column = dataset.columnByName.get(dataset.dateColumn ?? '');
  if (!column) return rules;
  const { first, last } = findDays(column, predicates);
  return rules.filter(
    ({ startDate, endDate }) =>
      (last === null || startDate <= last) &&
      (first === null || endDate === null || endDate >= first),
  );
}

function decisionsOf(
  request: DataRequest,
  plan: QueryPlan,
  rules: readonly AccessRule[],
): Decision[] {
  const columns = decideColumns(request, plan, rules);
  const met = rulesMeeting(plan, columns.rules);
  return [
    { part: 'columns', ...columns },
    { part: 'identifiers', ...decideIdentifiers(plan, met) },
    { part: 'dates', ...decideDates(plan, met) },
    { part: 'rows', ...decideRows(plan, met) },
  ];
}

/** Parts that a refusal of this type of problem is about. */
const PART_OF_PROBLEM: Readonly<Record<string, Decision['part']>> = {
  date_outside_window: 'dates',
  unknown_column: 'columns',
  columns_apart: 'columns',
};

const REMEDIES: Readonly<Record<Decision['part'], string>> = {
  dataset: 'Ask for a rule for this dataset',
  request: 'Change the request as the reason says',
  columns: 'Leave the columns out, or ask for a rule that has them',
  identifiers: 'Ask for a rule with this identifier',
  dates: 'Name dates within the windows, or ask for a rule that holds these',
  rows: 'Ask for a rule that holds the rows',
};

function partOf(error: ApiError, rules: readonly AccessRule[]): Decision['part'] {
  const { kind, detail } = error;
  if (rules.length === 0) return 'dataset';
  if (error instanceof IdentifierRefusal) return 'identifiers';
  // Adjusted rows and continuous contracts need other datasets as well.
  if (kind === 'forbidden') return 'dataset';
  if (typeof detail === 'string') return 'request';
  const parts = detail.map(({ type }) => PART_OF_PROBLEM[type] ?? 'request');
  return parts.every((part) => part === parts[0]) ? (parts[0] ?? 'request') : 'request';
}

/** The rules that a refusal of a part is by. */
const DECIDES: Readonly<Record<Decision['part'], (rule: AccessRule) => boolean>> = {
  dataset: () => true,
  request: () => false,
  columns: hidesColumns,
  identifiers: ({ universe }) => universe.length > 0,
  dates: () => true,
  rows: () => true,
};

function refused(error: ApiError, { all, ofRows }: DecidingRules): Explanation {
  const part = partOf(error, all);
  const rules = part === 'dataset' ? all : ofRows;
  const decision: Decision = {
    ...{ part, outcome: 'refused', rules: rules.filter(DECIDES[part]) },
    reason: error.message,
    remedy: error.hint ?? REMEDIES[part],
  };
  return { rules: all, refusal: error.kind, canonicalRequest: null, decisions: [decision] };
}

interface DecidingRules {
  /** Also those of the factors by which rows are adjusted on request. */
  readonly all: readonly AccessRule[];
  /** A row needs one of each dataset that it is of or made of. */
  readonly ofRows: readonly AccessRule[];
}

/** Reads no rows. Rejects with an ApiError where the caller has no account to ask for. */
export async function explainRequest(reader: Reader, asked: AskedRows): Promise<Explanation> {
  const { accountId } = accountOf(reader);
  const { dataset, request } = asked;
  // Rows that are adjusted on request are made of rows as traded, the first of two inputs.
  const isMade = isRestatable(dataset) && isRestated(request.adjustment);
  const [raw = [], ...others] = (isMade ? (dataset.derivation?.inputs ?? []) : []).map((textId) => {
    const input = reader.services.catalog.byTextId(textId);
    return input ? reader.services.store.replica.rulesOfDataset(accountId, input.datasetId) : [];
  });
  const own = reader.services.store.replica.rulesOfDataset(accountId, dataset.datasetId);
  const rules = { all: [...own, ...raw, ...others.flat()], ofRows: [...own, ...raw] };
  try {
    const { planned } = await planBySymbols(reader, asked);
    return {
      rules: rules.all,
      refusal: null,
      canonicalRequest: planned.textOf(),
      decisions: decisionsOf(asked.request, planned.plan, rules.ofRows),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refused(error, rules);
  }
}
