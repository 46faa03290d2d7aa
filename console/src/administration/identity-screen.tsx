import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { AdministeredIdentity } from '@ticklake/client';
import { useState } from 'react';
import { ApiFailure } from '../api/api-failure';
import { postJson } from '../api/client';
import { utcDateText, utcMinuteText } from '../format/times';
import { Button } from '../ui/button';
import { type Confirmation, ConfirmChange } from '../ui/confirm-change';
import { Loaded } from '../ui/loading';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { Tabs } from '../ui/tabs';
import { IdentityBadges } from './identity-badges';
import { IdentityKeys } from './identity-keys';
import { IdentityLimitsCard } from './identity-limits-card';
import { IdentityPeople } from './identity-people';
import { IdentityRules } from './identity-rules';
import { IdentitySettings } from './identity-settings';
import type { IdentityTab } from './identity-tab';
import { IdentityUsage } from './identity-usage';
import { PlanLink } from './plan-link';
import { administeredIdentityQuery, identityTouches } from './queries';

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
        { name: 'limits', label: 'Limits', content: () => <IdentityLimitsCard identityId={id} /> },
        { name: 'rules', label: 'Rules', content: () => <IdentityRules identity={identity} /> },
        { name: 'keys', label: 'API keys', content: () => <IdentityKeys identity={identity} /> },
        { name: 'usage', label: 'Usage', content: () => <IdentityUsage identityId={id} /> },
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
  const identity = useQuery(administeredIdentityQuery(Number(identityId)));
  if (identity.data) return <IdentityPage key={identityId} identity={identity.data} />;
  if (identity.error instanceof ApiFailure && [404, 422].includes(identity.error.status)) {
    return (
      <Page title="Account not found" back={BACK}>
        <Notice kind="info">No account has the ID {identityId}.</Notice>
      </Page>
    );
  }
  return (
    <Page title="Account" back={BACK}>
      <Loaded query={identity} what="the account">
        {() => null}
      </Loaded>
    </Page>
  );
}
