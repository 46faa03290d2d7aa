/** Whose rules are shown and changed: an account's or a plan's. */
import type { QueryKey } from '@tanstack/react-query';
import type { AdministeredRule } from '@ticklake/client';
import { identityTouches, PLAN_TOUCHES } from './queries';

export interface RuleHolder {
  /** In a sentence. */
  readonly noun: 'account' | 'plan';
  /** Where rules are added for several datasets, and where they are copied. */
  readonly addPath: string;
  readonly copyPath: string;
  /** Beginnings of the keys of the queries that a change concerns. */
  readonly touches: readonly QueryKey[];
  /** Whether a rule is its own, rather than its plan's. */
  readonly isOwn: (rule: AdministeredRule) => boolean;
}

export function accountHolder(identityId: number): RuleHolder {
  const path = `/identities/${identityId}/data-access-rules`;
  return {
    noun: 'account',
    addPath: `${path}/several`,
    copyPath: `${path}/copy`,
    touches: identityTouches(identityId),
    isOwn: (rule) => rule.identity_id === identityId,
  };
}

export function planHolder(planId: number): RuleHolder {
  const path = `/plans/${planId}/data-access-rules`;
  return {
    noun: 'plan',
    addPath: path,
    copyPath: `${path}/copy`,
    touches: PLAN_TOUCHES,
    isOwn: () => true,
  };
}
