import type { BodyOf, Plan } from '@ticklake/client';
import { utcDateText } from '../format/texts';
import { nameProblem } from '../ui/input-problems';
import {
  type LimitFields,
  type LimitTable,
  limitFields,
  limitProblems,
  limitsBody,
  parseCount,
} from './limit-fields';

export type ContractEnd = 'none' | 'date' | 'days';

/** The limits stand beside the other fields, each under its own name. */
export type PlanFields = LimitFields & {
  readonly name: string;
  readonly contract: ContractEnd;
  /** `YYYY-MM-DD`; counts only with `date`. */
  readonly contract_ends_at: string;
  /** Counts only with `days`. */
  readonly contract_days: string;
};

const NO_LIMIT = { requests: null, data_scanned: null, data_returned: null };
const NO_LIMITS: LimitTable = { month: NO_LIMIT, minute: NO_LIMIT };
const CONTRACT_DAYS_MAX = 36_525;

export const NEW_PLAN: PlanFields = {
  ...limitFields(NO_LIMITS),
  name: '',
  contract: 'none',
  contract_ends_at: '',
  contract_days: '',
};

function contractOf({ contract_ends_at, contract_days }: Plan): ContractEnd {
  if (contract_ends_at !== null) return 'date';
  return contract_days === null ? 'none' : 'days';
}

export function planFields(plan: Plan): PlanFields {
  const { contract_ends_at: end, contract_days: days } = plan;
  return {
    ...limitFields(plan.quotas_limit),
    name: plan.name,
    contract: contractOf(plan),
    contract_ends_at: end === null ? '' : utcDateText(end),
    contract_days: days === null ? '' : String(days),
  };
}

function daysProblem(text: string): string {
  const days = parseCount(text);
  return days !== null && days >= 1 && days <= CONTRACT_DAYS_MAX
    ? ''
    : `Enter a whole number from 1 to ${CONTRACT_DAYS_MAX}`;
}

export function planProblems(fields: PlanFields): Readonly<Record<string, string>> {
  const { name, contract, contract_ends_at, contract_days } = fields;
  return {
    ...limitProblems(fields),
    name: nameProblem(name),
    contract_ends_at: contract === 'date' && contract_ends_at === '' ? 'Choose a date' : '',
    contract_days: contract === 'days' ? daysProblem(contract_days) : '',
  };
}

function endBody(
  fields: PlanFields,
): Pick<BodyOf<'updatePlan'>, 'contract_ends_at' | 'contract_days'> {
  const { contract, contract_ends_at, contract_days } = fields;
  if (contract === 'date') return { contract_ends_at };
  if (contract === 'days') return { contract_days: parseCount(contract_days) };
  return { contract_ends_at: null, contract_days: null };
}

/** All of a new plan; else what differs from the kept one. */
export function planBody(fields: PlanFields, kept: Plan | null): BodyOf<'updatePlan'> {
  const limits = limitsBody(fields, kept?.quotas_limit ?? NO_LIMITS);
  const before = kept && planFields(kept);
  const isSameEnd = before && JSON.stringify(endBody(before)) === JSON.stringify(endBody(fields));
  return {
    ...limits,
    ...(fields.name !== before?.name && { name: fields.name }),
    ...(!isSameEnd && endBody(fields)),
  };
}

/** `30 days after an account gets the plan`. */
export function planEndText({ contract_ends_at: end, contract_days: days }: Plan): string {
  if (end !== null) return utcDateText(end);
  return days === null ? 'No end' : `After ${days} ${days === 1 ? 'day' : 'days'}`;
}
