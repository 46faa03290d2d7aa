import { Link, useParams } from '@tanstack/react-router';
import type { AdministeredIdentity } from '@ticklake/client';
import { postJson } from '../api/client';
import { sentenceCase, utcDateText, utcMinuteText } from '../format/texts';
import type { KeyAccount } from '../keys/key-account';
import { activeCount, KeyCeiling } from '../keys/key-texts';
import { ChangeableKeys } from '../keys/keys-table';
import { GenerateKey } from '../keys/new-key';
import { useKnownSearch } from '../layout/known-search';
import { MonthUsageOf } from '../overview/month-usage';
import { PeopleTable } from '../people/people-table';
import { AddButton, Button } from '../ui/button';
import { type Confirmation, confirmChange } from '../ui/dialog';
import { Card, DatedText, FoundPage, Page, Query } from '../ui/page';
import { Tabs } from '../ui/tabs';
import { AccountLimits, AccountSettings } from './account-forms';
import { AccountBadges, PlanLink } from './names';
import { personActions, useNewPerson } from './person-actions';
import {
  ACCOUNT_TOUCHES,
  accountKeysQuery,
  accountQuery,
  accountUsageQuery,
  peopleQuery,
} from './queries';
import { accountHolder, RulesCard } from './rules-card';
import { type AccountTab, readAccountTab } from './searches';

const KEYS_REFRESH_MS = 10_000;

function keyAccountOf(props: AdministeredIdentity): KeyAccount {
  const { identity_id: accountId, contract_ends_at: contractEndsAt } = props;
  return {
    contractEndsAt,
    keysPath: `/identities/${accountId}/api-keys`,
    keyPath: (keyId) => `/api-keys/${keyId}`,
    touches: ACCOUNT_TOUCHES,
  };
}

function AccountKeys({ account }: { account: AdministeredIdentity }) {
  const { identity_id: id, max_active_api_keys: max } = account;
  const keyAccount = keyAccountOf(account);
  return (
    <Card title="API keys">
      <Query of={{ ...accountKeysQuery(id), refetchInterval: KEYS_REFRESH_MS }} what="API keys">
        {(rows) => {
          const active = activeCount(rows);
          return (
            <>
              <p>
                <KeyCeiling active={active} max={max} />
              </p>
              <GenerateKey account={keyAccount} isFull={active >= max} />
              <ChangeableKeys account={keyAccount} keys={rows} isFull={active >= max} />
            </>
          );
        }}
      </Query>
    </Card>
  );
}

function AccountPeople({ accountId }: { accountId: number }) {
  const create = useNewPerson(accountId);
  return (
    <Card title="People">
      <p>People who can sign in and see this account.</p>
      <AddButton label="New person" onClick={() => create()} />
      <Query of={peopleQuery(accountId)} what="people">
        {(rows) => <PeopleTable caption="People" rows={rows} actionsOf={personActions} />}
      </Query>
    </Card>
  );
}

function activation(account: AdministeredIdentity): Confirmation {
  const { identity_id: id, name, is_active: isActive } = account;
  const act = isActive ? 'deactivate' : 'activate';
  const verb = sentenceCase(act);
  return {
    title: `${verb} ${name}?`,
    description: isActive
      ? 'All its requests will be refused, including those of people who are signed in. ' +
        'Keys, rules and limits are kept, and you can activate the account again.'
      : 'Its requests are accepted again, with the same keys and rules.',
    confirmLabel: verb,
    isDangerous: isActive,
    send: () => postJson(`/identities/${id}/${act}`),
    touches: ACCOUNT_TOUCHES,
    done: `${name} was ${act}d`,
  };
}

function AccountTabs({ account }: { account: AdministeredIdentity }) {
  const [{ tab = 'settings' }, setSearch] = useKnownSearch(readAccountTab);
  const { identity_id: id } = account;
  return (
    <Tabs<AccountTab>
      label={`Sections of ${account.name}`}
      open={tab}
      onOpenChange={(next) => setSearch({ tab: next })}
      tabs={[
        {
          name: 'settings',
          label: 'Settings',
          content: () => <AccountSettings account={account} />,
        },
        { name: 'limits', label: 'Limits', content: () => <AccountLimits accountId={id} /> },
        { name: 'rules', label: 'Rules', content: () => <RulesCard holder={accountHolder(id)} /> },
        { name: 'keys', label: 'API keys', content: () => <AccountKeys account={account} /> },
        {
          name: 'usage',
          label: 'Usage',
          content: () => <MonthUsageOf of={accountUsageQuery(id)} keys={accountKeysQuery(id)} />,
        },
        { name: 'people', label: 'People', content: () => <AccountPeople accountId={id} /> },
      ]}
    />
  );
}

const BACK = <Link to="/accounts">All accounts</Link>;

function AccountPage({ account }: { account: AdministeredIdentity }) {
  return (
    <Page
      title={account.name}
      back={BACK}
      description={
        <>
          Account {account.identity_id}, created{' '}
          <DatedText text={utcDateText(account.created_at)} />
          {account.plan_id !== null && (
            <>
              , plan <PlanLink planId={account.plan_id} />
            </>
          )}
          {account.contract_ends_at !== null &&
            `, contract ends ${utcMinuteText(account.contract_ends_at)}`}{' '}
          <AccountBadges account={account} />
        </>
      }
      actions={
        <Button onClick={() => confirmChange(activation(account))}>
          {account.is_active ? 'Deactivate' : 'Activate'}
        </Button>
      }
    >
      <AccountTabs account={account} />
    </Page>
  );
}

export default function AccountScreen() {
  const { accountId } = useParams({ from: '/signed-in/administration/accounts/$accountId' });
  return (
    <FoundPage of={accountQuery(Number(accountId))} noun="Account" id={accountId} back={BACK}>
      {(account) => <AccountPage key={accountId} account={account} />}
    </FoundPage>
  );
}
