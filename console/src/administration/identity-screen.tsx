import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { AdministeredIdentity } from '@ticklake/client';
import { useState } from 'react';
import { postJson } from '../api/client';
import { utcDateText, utcMinuteText } from '../format/times';
import { MonthUsage } from '../overview/month-usage';
import { Button } from '../ui/button';
import { type Confirmation, ConfirmChange } from '../ui/confirm-dialog';
import { FoundPage, Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import { Tabs } from '../ui/tabs';
import { IdentityBadges } from './identity-badges';
import { IdentityLimits, IdentitySettings } from './identity-forms';
import { IdentityKeys } from './identity-keys';
import { IdentityPeople } from './identity-people';
import type { IdentityTab } from './identity-tab';
import { PlanLink } from './names';
import {
  administeredIdentityQuery,
  identityKeysQuery,
  identityRulesQuery,
  identityTouches,
  identityUsageQuery,
} from './queries';
import { accountHolder, RulesCard } from './rules-card';

function activation(identity: AdministeredIdentity): Confirmation {
  const { identity_id: id, name, is_active: isActive } = identity;
  const shared = { touches: identityTouches(id) };
  return isActive
    ? {
        ...shared,
        title: `Deactivate ${name}?`,
        description:
          'All its requests will be refused, including those of people who are signed in. ' +
          'Keys, rules and limits are kept, and you can activate the account again.',
        confirmLabel: 'Deactivate',
        isDangerous: true,
        send: () => postJson(`/identities/${id}/deactivate`),
        done: `${name} was deactivated`,
      }
    : {
        ...shared,
        title: `Activate ${name}?`,
        description: 'Its requests are accepted again, with the same keys and rules.',
        confirmLabel: 'Activate',
        send: () => postJson(`/identities/${id}/activate`),
        done: `${name} was activated`,
      };
}

const REFRESH_MS = 30_000;

/** Usage of an account in the current month. */
function UsageOf({ identityId }: { identityId: number }) {
  const usage = useQuery({ ...identityUsageQuery(identityId), refetchInterval: REFRESH_MS });
  const keys = useQuery(identityKeysQuery(identityId));
  return (
    <Loaded query={usage} what="usage">
      {(data) => <MonthUsage usage={data} keys={keys.data} />}
    </Loaded>
  );
}

/** The access rules of an account, its own and those of its plan. */
function Rules({ identityId }: { identityId: number }) {
  const rules = useQuery(identityRulesQuery(identityId));
  return <RulesCard holder={accountHolder(identityId)} rules={rules} />;
}

function IdentityTabs({ identity }: { identity: AdministeredIdentity }) {
  const { tab = 'settings' } = useSearch({
    from: '/signed-in/administration/identities/$identityId',
  });
  const navigate = useNavigate({ from: '/identities/$identityId' });
  const { identity_id: id } = identity;
  return (
    <Tabs<IdentityTab>
      label={`Sections of ${identity.name}`}
      open={tab}
      onOpenChange={(next) =>
        void navigate({ search: { tab: next }, replace: true, resetScroll: false })
      }
      tabs={[
        {
          name: 'settings',
          label: 'Settings',
          content: () => <IdentitySettings identity={identity} />,
        },
        { name: 'limits', label: 'Limits', content: () => <IdentityLimits identityId={id} /> },
        { name: 'rules', label: 'Rules', content: () => <Rules identityId={id} /> },
        { name: 'keys', label: 'API keys', content: () => <IdentityKeys identity={identity} /> },
        { name: 'usage', label: 'Usage', content: () => <UsageOf identityId={id} /> },
        { name: 'people', label: 'People', content: () => <IdentityPeople identityId={id} /> },
      ]}
    />
  );
}

const BACK = <Link to="/identities">All accounts</Link>;

function IdentityPage({ identity }: { identity: AdministeredIdentity }) {
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  return (
    <Page
      title={identity.name}
      back={BACK}
      description={
        <>
          Account {identity.identity_id}, created {utcDateText(identity.created_at)} ·{' '}
          {identity.plan_id !== null && (
            <>
              plan <PlanLink planId={identity.plan_id} /> ·{' '}
            </>
          )}
          {identity.contract_ends_at !== null && (
            <>contract ends {utcMinuteText(identity.contract_ends_at)} · </>
          )}
          <IdentityBadges identity={identity} />
        </>
      }
      actions={
        <Button onClick={() => setConfirmation(activation(identity))}>
          {identity.is_active ? 'Deactivate' : 'Activate'}
        </Button>
      }
    >
      <IdentityTabs identity={identity} />
      <ConfirmChange confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </Page>
  );
}

export function IdentityScreen() {
  const { identityId } = useParams({ from: '/signed-in/administration/identities/$identityId' });
  const query = useQuery(administeredIdentityQuery(Number(identityId)));
  return (
    <FoundPage query={query} noun="Account" id={identityId} back={BACK}>
      {(identity) => <IdentityPage key={identityId} identity={identity} />}
    </FoundPage>
  );
}
