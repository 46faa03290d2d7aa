import { useQuery } from '@tanstack/react-query';
import type { AccessRequest, Enquiry } from '@ticklake/client';
import { postJson } from '../api/client';
import { accessRequestsQuery, enquiriesQuery } from '../api/queries';
import { Button } from '../ui/button';
import { AccountLink } from '../ui/links';
import { Card, Notice, Page, Query } from '../ui/page';
import { datasetColumn, momentColumn, nameColumn, Table, type TableColumn } from '../ui/table';
import { Badge, type BadgeKind, TwoLines } from '../ui/texts';
import { useChange } from '../ui/use-change';
import styles from './access-requests-screen.module.css';
import { useAccountNames } from './names';
import { useNewPerson } from './person-actions';
import { ACCOUNT_TOUCHES } from './queries';

type Decision = 'grant' | 'decline';

const STATE_KINDS: Readonly<Record<AccessRequest['state'], BadgeKind>> = {
  open: 'warning',
  granted: 'good',
  declined: 'quiet',
};

const DONE: Readonly<Record<Decision, string>> = {
  grant: 'Access was granted',
  decline: 'The request was declined',
};

interface DecideProps {
  what: string;
  isBusy: boolean;
  /** How to say yes: `Grant`. */
  accept: string;
  onAccept: () => void;
  onDecline: () => void;
}

function Decide({ what, isBusy, accept, onAccept, onDecline }: DecideProps) {
  return (
    <div className={styles.decide}>
      <Button kind="primary" {...{ isBusy }} aria-label={`${accept} ${what}`} onClick={onAccept}>
        {accept}
      </Button>
      <Button {...{ isBusy }} aria-label={`Decline ${what}`} onClick={onDecline}>
        Decline
      </Button>
    </div>
  );
}

function requestColumns(
  nameOf: (accountId: number) => string,
  decide: (request: AccessRequest) => React.ReactNode,
): readonly TableColumn<AccessRequest>[] {
  return [
    datasetColumn(({ dataset_name, dataset_id }) => dataset_name ?? dataset_id),
    {
      header: 'Account',
      by: ({ identity_id }) => nameOf(identity_id),
      cell: ({ identity_id }) => <AccountLink id={identity_id}>{nameOf(identity_id)}</AccountLink>,
    },
    {
      header: 'Asked by',
      by: 'asked_by',
      isWrapped: true,
      cell: ({ asked_by, note }) => <TwoLines first={asked_by} second={note} />,
    },
    momentColumn('Asked', 'created_at'),
    {
      header: 'Status',
      by: 'state',
      isPinned: true,
      cell: (request) =>
        request.state === 'open' ? (
          decide(request)
        ) : (
          <Badge kind={STATE_KINDS[request.state]}>{request.state}</Badge>
        ),
    },
  ];
}

const ENQUIRY_COLUMNS: readonly TableColumn<Enquiry>[] = [
  nameColumn('Asked by', ({ email, note }) => <TwoLines first={email} second={note} />, 'email'),
  { header: 'Dataset', cell: ({ dataset_name, dataset_id }) => dataset_name ?? dataset_id ?? '' },
  momentColumn('Asked', 'created_at'),
];

/** Requests of people without an account; nothing while there are none. */
function Enquiries() {
  const { data: enquiries = [] } = useQuery(enquiriesQuery);
  const invite = useNewPerson(null);
  const decline = useChange({
    send: ({ enquiry_id }: Enquiry) => postJson(`/enquiries/${enquiry_id}/decline`),
    touches: [enquiriesQuery.queryKey],
    done: 'The request was declined',
  });
  const answer: TableColumn<Enquiry> = {
    header: 'Answer',
    isPinned: true,
    cell: (enquiry) => (
      <Decide
        what={enquiry.email}
        isBusy={decline.isPending}
        accept="Invite"
        onAccept={() => invite(enquiry.email)}
        onDecline={() => decline.mutate(enquiry)}
      />
    ),
  };
  if (enquiries.length === 0) return null;
  return (
    <Card title="From people without an account">
      {decline.error && <Notice kind="danger">{decline.error.message}</Notice>}
      <p>They asked on the landing page; nobody has checked their addresses.</p>
      <Table
        caption="Requests of people without an account"
        columns={[...ENQUIRY_COLUMNS, answer]}
        rows={enquiries}
        isDense
        rowKey={({ enquiry_id }) => enquiry_id}
      />
    </Card>
  );
}

export default function AccessRequestsScreen() {
  const nameOf = useAccountNames();
  const change = useChange({
    send: ({ request, decision }: { request: AccessRequest; decision: Decision }) =>
      postJson<AccessRequest>(`/access-requests/${request.request_id}/${decision}`),
    touches: [['access-requests'], ...ACCOUNT_TOUCHES],
    done: (_, { decision }) => DONE[decision],
  });
  const columns = requestColumns(nameOf, (request) => (
    <Decide
      what={`${request.dataset_name ?? request.dataset_id} for ${request.asked_by}`}
      isBusy={change.isPending}
      accept="Grant"
      onAccept={() => change.mutate({ request, decision: 'grant' })}
      onDecline={() => change.mutate({ request, decision: 'decline' })}
    />
  ));
  return (
    <Page
      title="Access requests"
      description="Datasets that accounts have asked for. Granting gives access to the whole dataset. To give less, or where the account has a rule for the dataset, decline and change its rules."
    >
      <Enquiries />
      {change.error && <Notice kind="danger">{change.error.message}</Notice>}
      <Query of={accessRequestsQuery} what="access requests">
        {({ data }) => (
          <Table
            caption="Access requests"
            columns={columns}
            rows={data}
            isDense
            rowKey={({ request_id }) => request_id}
            empty="Nobody has asked for access yet."
          />
        )}
      </Query>
    </Page>
  );
}
