import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { AdministeredIdentity } from '@ticklake/client';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { postJson } from '../api/client';
import { utcDateText, utcMinuteText } from '../format/texts';
import { type KeyAccount, KeyAccountContext } from '../keys/key-account';
import { activeCount, KeyCeiling } from '../keys/key-texts';
import { ChangeableKeys } from '../keys/keys-table';
import { GenerateKey } from '../keys/new-key';
import { useKnownSearch } from '../layout/known-search';
import { MonthUsage } from '../overview/month-usage';
import { personColumns } from '../people/person-columns';
import { Button } from '../ui/button';
import { type Confirmation, ConfirmChange } from '../ui/dialog';
import { Card, FoundPage, Page, Query } from '../ui/page';
import { Table } from '../ui/table';
import { Tabs } from '../ui/tabs';
import { IdentityLimits, IdentitySettings } from './identity-forms';
import { IdentityBadges, PlanLink } from './names';
import { usePersonActions } from './person-actions';
import {
  ACCOUNT_TOUCHES,
  administeredIdentityQuery,
  identityKeysQuery,
  identityUsageQuery,
  peopleQuery,
} from './queries';
import { accountHolder, RulesCard } from './rules-card';
import { type IdentityTab, readIdentityTab } from './searches';

const KEYS_REFRESH_MS = 10_000;

function accountOf({
  identity_id: identityId,
  contract_ends_at: contractEndsAt,
}: AdministeredIdentity): KeyAccount {
  return {
    contractEndsAt,
    keysPath: `/identities/${identityId}/api-keys`,
    keyPath: (keyId) => `/api-keys/${keyId}`,
    touches: ACCOUNT_TOUCHES,
  };
}

function IdentityKeys({ identity }: { identity: AdministeredIdentity }) {
  const { identity_id: id, max_active_api_keys: max } = identity;
  const account = useMemo(() => accountOf(identity), [identity]);
  return (
    <Card title="API keys">
      <KeyAccountContext value={account}>
        <Query of={{ ...identityKeysQuery(id), refetchInterval: KEYS_REFRESH_MS }} what="API keys">
          {(rows) => {
            const active = activeCount(rows);
            return (
              <>
                <p>
                  <KeyCeiling active={active} max={max} />
                </p>
                <div>
                  <GenerateKey isFull={active >= max} />
                </div>
                <ChangeableKeys keys={rows} isFull={active >= max} />
              </>
            );
          }}
        </Query>
      </KeyAccountContext>
    </Card>
  );
}

function IdentityPeople({ identityId }: { identityId: number }) {
  const { actionsOf, dialogs, create } = usePersonActions(identityId);
  const columns = personColumns(actionsOf, null);
  return (
    <Card title="People">
      <p>People who can sign in and see this account.</p>
      <div>
        <Button icon={Plus} kind="primary" onClick={create}>
          New person
        </Button>
      </div>
      <Query of={peopleQuery(identityId)} what="people">
        {(rows) => (
          <Table
            caption="People"
            columns={columns}
            rows={rows}
            rowKey={({ person_id }) => person_id}
            empty="Nobody can sign in to this account yet."
          />
        )}
      </Query>
      {dialogs}
    </Card>
  );
}

function activation(identity: AdministeredIdentity): Confirmation {
  const { identity_id: id, name, is_active: isActive } = identity;
  const shared = { touches: ACCOUNT_TOUCHES };
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

function UsageOf({ identityId }: { identityId: number }) {
  const keys = useQuery(identityKeysQuery(identityId));
  return (
    <Query of={{ ...identityUsageQuery(identityId), refetchInterval: REFRESH_MS }} what="usage">
      {(data) => <MonthUsage usage={data} keys={keys.data} />}
    </Query>
  );
}

function IdentityTabs({ identity }: { identity: AdministeredIdentity }) {
  const [{ tab = 'settings' }, setSearch] = useKnownSearch(readIdentityTab);
  const { identity_id: id } = identity;
  return (
    <Tabs<IdentityTab>
      label={`Sections of ${identity.name}`}
      open={tab}
      onOpenChange={(next) => setSearch({ tab: next })}
      tabs={[
        {
          name: 'settings',
          label: 'Settings',
          content: () => <IdentitySettings identity={identity} />,
        },
        { name: 'limits', label: 'Limits', content: () => <IdentityLimits identityId={id} /> },
        { name: 'rules', label: 'Rules', content: () => <RulesCard holder={accountHolder(id)} /> },
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

export default function IdentityScreen() {
  const { identityId } = useParams({ from: '/signed-in/administration/identities/$identityId' });
  return (
    <FoundPage
      of={administeredIdentityQuery(Number(identityId))}
      noun="Account"
      id={identityId}
      back={BACK}
    >
      {(identity) => <IdentityPage key={identityId} identity={identity} />}
    </FoundPage>
  );
}
