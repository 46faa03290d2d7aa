import { type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { AdministeredIdentity, StatusCode } from '@ticklake/client';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { AlertItems, alertSummary } from '../alerts/alerts';
import { alertsQuery } from '../api/queries';
import { addDays, dateOf } from '../format/dates';
import { LinkButton } from '../ui/links';
import { Card, Loaded, Page, Query } from '../ui/page';
import { Table } from '../ui/table';
import { ACCOUNT_COLUMNS } from './accounts-screen';
import { HISTORY_COLUMNS } from './history-screen';
import { MONTH_COLUMNS } from './monthly-usage-screen';
import { PUBLICATION_COLUMNS } from './publications-screen';
import { accountsQuery, historyQuery, publicationsQuery, usageByMonthQuery } from './queries';

const SHOWN_MAX = 5;
const CONTRACT_DAYS = 60;
const AMISS: readonly StatusCode[] = ['late', 'failed'];

function Attention() {
  return (
    <Query of={alertsQuery} what="alerts">
      {(alerts) => (
        <Card
          title={alerts.length === 0 ? 'All is well' : `Needs you: ${alertSummary(alerts)}`}
          actions={<LinkButton to="/alerts">Alerts</LinkButton>}
        >
          {alerts.length === 0 ? (
            <p>Nothing needs your attention.</p>
          ) : (
            <AlertItems alerts={alerts.slice(0, SHOWN_MAX)} />
          )}
        </Card>
      )}
    </Query>
  );
}

interface HomeTableProps<T, Row>
  extends Pick<ComponentProps<typeof Table<Row>>, 'columns' | 'rowKey' | 'empty'> {
  title: string;
  caption?: string;
  all: ReactNode;
  query: UseQueryResult<T>;
  rowsOf: (data: T) => readonly Row[];
}

/** Some of what a screen has all of. */
function HomeTable<T, Row>(props: HomeTableProps<T, Row>) {
  const { title, caption = title, all, query, rowsOf, ...shown } = props;
  return (
    <Card title={title} actions={all}>
      <Loaded query={query} what={title.toLowerCase()}>
        {(data) => <Table {...shown} caption={caption} rows={rowsOf(data)} isDense />}
      </Loaded>
    </Card>
  );
}

/** Contracts that end within the next weeks, and those that have ended. */
function endingSoon(accounts: readonly AdministeredIdentity[], today: string) {
  const last = addDays(today, CONTRACT_DAYS);
  return accounts
    .filter((each) => each.is_active && (each.contract_ends_at ?? '9999').slice(0, 10) <= last)
    .toSorted((a, b) => (a.contract_ends_at ?? '').localeCompare(b.contract_ends_at ?? ''));
}

export default function HomeScreen() {
  const [today] = useState(() => dateOf(Date.now()));
  const month = today.slice(0, 7);
  return (
    <Page title="Home" description="How the service is doing, and who uses it.">
      <Attention />
      {/* Loads, derivations and rollbacks, each of which can be undone here. */}
      <HomeTable
        title="Latest publications"
        all={<LinkButton to="/publications/history">All publications</LinkButton>}
        query={useInfiniteQuery(historyQuery({}))}
        columns={HISTORY_COLUMNS}
        rowsOf={({ pages }) => pages.flatMap(({ data }) => data).slice(0, SHOWN_MAX)}
        rowKey={({ publication_id: id }) => id}
        empty="Nothing was published yet."
      />
      <HomeTable
        title="Late or failed datasets"
        all={<LinkButton to="/publications">All datasets</LinkButton>}
        query={useQuery(publicationsQuery)}
        columns={PUBLICATION_COLUMNS}
        rowsOf={(datasets) => datasets.filter(({ status_code: code }) => AMISS.includes(code))}
        rowKey={({ dataset_id: id }) => id}
        empty="No dataset is late or failed."
      />
      <HomeTable
        title="Usage this month"
        caption="Accounts that use most"
        all={<LinkButton to="/usage-by-month">Usage by month</LinkButton>}
        query={useQuery(usageByMonthQuery(month, month))}
        columns={MONTH_COLUMNS}
        rowsOf={({ data }) => data.toSorted((a, b) => b.requests - a.requests).slice(0, SHOWN_MAX)}
        rowKey={({ identity_id: id }) => id}
        empty="No account has used anything this month."
      />
      <HomeTable
        title="Contracts ending soon"
        all={<LinkButton to="/accounts">Accounts</LinkButton>}
        query={useQuery(accountsQuery)}
        columns={ACCOUNT_COLUMNS}
        rowsOf={(accounts) => endingSoon(accounts, today)}
        rowKey={({ identity_id: id }) => id}
        empty={`No contract ends within ${CONTRACT_DAYS} days.`}
      />
    </Page>
  );
}
