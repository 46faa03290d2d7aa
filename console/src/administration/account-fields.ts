import type { AdministeredIdentity, BodyOf } from '@ticklake/client';
import { utcDateText } from '../format/texts';
import { type Draft, draftOf, draftProblems, draftSubnets } from '../network/subnet-draft';
import { nameProblem } from '../ui/input-problems';
import { parseCount } from './limit-fields';

export interface AccountFields extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly max_active_api_keys: string;
  readonly ip_subnets: Draft;
  readonly plan_id: string;
  /** The account's own end: `YYYY-MM-DD`; '' for that of the plan, or none. */
  readonly contract_ends_at: string;
  readonly is_admin: boolean;
}

export const NEW_ACCOUNT: AccountFields = {
  name: '',
  max_active_api_keys: '5',
  ip_subnets: draftOf([]),
  plan_id: '',
  contract_ends_at: '',
  is_admin: false,
};

export function fieldsOf(account: AdministeredIdentity): AccountFields {
  const { name, max_active_api_keys, ip_subnets, plan_id, is_admin } = account;
  const end = account.own_contract_ends_at;
  return {
    name,
    max_active_api_keys: String(max_active_api_keys),
    ip_subnets: draftOf(ip_subnets),
    plan_id: plan_id === null ? '' : String(plan_id),
    contract_ends_at: end === null ? '' : utcDateText(end),
    is_admin,
  };
}

export function accountProblems({ name, max_active_api_keys, ip_subnets }: AccountFields) {
  return {
    name: nameProblem(name),
    max_active_api_keys:
      parseCount(max_active_api_keys) === null ? 'Enter a whole number, 0 or more' : '',
    ip_subnets: draftProblems(ip_subnets).size > 0 ? 'Fix the invalid subnets' : '',
  };
}

function sentValues(fields: AccountFields): BodyOf<'createIdentity'> {
  const maxActiveKeys = parseCount(fields.max_active_api_keys);
  return {
    name: fields.name,
    is_admin: fields.is_admin,
    ip_subnets: draftSubnets(fields.ip_subnets),
    plan_id: fields.plan_id === '' ? null : Number(fields.plan_id),
    contract_ends_at: fields.contract_ends_at || null,
    ...(maxActiveKeys === null ? {} : { max_active_api_keys: maxActiveKeys }),
  };
}

/** The changed fields; all fields for a new account. */
export function accountBody(
  fields: AccountFields,
  kept: AccountFields | null,
): BodyOf<'updateIdentity'> {
  const values = sentValues(fields);
  if (kept === null) return values;
  const before = new Map<string, unknown>(Object.entries(sentValues(kept)));
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
    ),
  );
}

export function subnetsText(subnets: readonly string[]): string {
  if (subnets.length === 0) return 'Anywhere';
  const [first = '', ...others] = subnets;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
