import { useQuery } from '@tanstack/react-query';
import type { AdministeredIdentity } from '@ticklake/client';
import { identityRulesQuery } from './queries';
import { accountHolder } from './rule-holder';
import { RulesCard } from './rules-card';

/** The access rules of an account, its own and those of its plan. */
export function IdentityRules({ identity }: { identity: AdministeredIdentity }) {
  const { identity_id: id } = identity;
  return <RulesCard holder={accountHolder(id)} rules={useQuery(identityRulesQuery(id))} />;
}
