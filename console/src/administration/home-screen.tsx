import { useInfiniteQuery } from '@tanstack/react-query';
import type { AdministeredIdentity, StatusCode } from '@ticklake/client';
import { useState } from 'react';
import { AlertItems, alertSummary } from '../alerts/alerts';
import { alertsQuery } from '../api/queries';
import { addDays, dateOf } from '../format/dates';
import { countText } from '../format/texts';
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

/** Nights, other loads and rollbacks, each of which can be undone here. */
function Loads() {
  const history = useInfiniteQuery(historyQuery({}));
  return (
    <Card title="Last loads" actions={<LinkButton to="/publications/history">History</LinkButton>}>
      <Loaded query={history} what="the history">
        {({ pages }) => (
          <Table
            caption="Last loads"
            columns={HISTORY_COLUMNS}
            rows={pages.flatMap(({ data }) => data).slice(0, SHOWN_MAX)}
            rowKey={({ publication_id: id }) => id}
            empty="Nothing was loaded yet."
            isDense
          />
        )}
      </Loaded>
    </Card>
  );
}

/** Datasets whose rows are late or failed. */
function Deliveries() {
  return (
    <Card title="Deliveries" actions={<LinkButton to="/publications">Publications</LinkButton>}>
      <Query of={publicationsQuery} what="the publications">
        {(datasets) => (
          <Table
            caption="Deliveries that are late or failed"
            columns={PUBLICATION_COLUMNS}
            rows={datasets.filter(({ status_code: code }) => AMISS.includes(code))}
            rowKey={({ dataset_id: id }) => id}
            empty={`None of ${countText(datasets.length)} datasets is late or failed.`}
            isDense
          />
        )}
      </Query>
    </Card>
  );
}

function MonthUsage({ today }: { today: string }) {
  const month = today.slice(0, 7);
  return (
    <Card
      title="Usage this month"
      actions={<LinkButton to="/usage-by-month">Usage by month</LinkButton>}
    >
      <Query of={usageByMonthQuery(month, month)} what="usage">
        {({ data }) => (
          <Table
            caption="Accounts that use most"
            columns={MONTH_COLUMNS}
            rows={data.toSorted((a, b) => b.requests - a.requests).slice(0, SHOWN_MAX)}
            rowKey={({ identity_id: id }) => id}
            empty="No account has used anything this month."
            isDense
          />
        )}
      </Query>
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

function Contracts({ today }: { today: string }) {
  return (
    <Card title="Contracts that end" actions={<LinkButton to="/accounts">Accounts</LinkButton>}>
      <Query of={accountsQuery} what="the accounts">
        {(accounts) => (
          <Table
            caption="Contracts that end"
            columns={ACCOUNT_COLUMNS}
            rows={endingSoon(accounts, today)}
            rowKey={({ identity_id: id }) => id}
            empty={`No contract ends within ${CONTRACT_DAYS} days.`}
            isDense
          />
        )}
      </Query>
    </Card>
  );
}

export default function HomeScreen() {
  const [today] = useState(() => dateOf(Date.now()));
  return (
    <Page title="Home" description="How the service is, and who uses it.">
      <Attention />
      <Loads />
      <Deliveries />
      <MonthUsage today={today} />
      <Contracts today={today} />
    </Page>
  );
}
