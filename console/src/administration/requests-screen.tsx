import { useQuery } from '@tanstack/react-query';
import type { RefusedRequest, RequestBoard, RunningRequest } from '@ticklake/client';
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../session/session';
import { Button } from '../ui/button';
import { optionsOf } from '../ui/choice-group';
import { AccountLink } from '../ui/links';
import { Card, Loaded, Page } from '../ui/page';
import { SearchField } from '../ui/search-field';
import { SelectField } from '../ui/select-field';
import { Table, type TableColumn } from '../ui/table';
import { Badge, TwoLines } from '../ui/texts';
import { Toolbar } from '../ui/toolbar';
import { statusText } from '../usage/usage-text';
import { ActorName } from './names';
import { requestBoardQuery } from './queries';
import styles from './request-columns.module.css';

type Caller = Pick<RunningRequest, 'identity_id' | 'identity_name'>;

/** Holds a part of the account's name, or its id. */
export function matchingRequests<Request extends Caller>(
  requests: readonly Request[],
  text: string,
): readonly Request[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return requests;
  return requests.filter(
    ({ identity_id, identity_name }) =>
      String(identity_id) === wanted || identity_name?.toLowerCase().includes(wanted),
  );
}

/** The statuses that occur, and the chosen one also when it no longer does. */
export function statusOptions(
  refused: readonly Pick<RefusedRequest, 'status'>[],
  chosen: string,
): readonly { readonly value: string; readonly label: string }[] {
  const found = new Set(refused.map(({ status }) => String(status)));
  if (chosen !== '') found.add(chosen);
  return optionsOf([...found].sort(), 'All');
}

/** `350 ms`, `2.4 s`, `3 min 5 s`. */
export function elapsedText(elapsedMs: number): string {
  if (elapsedMs < 1000) return `${Math.round(elapsedMs)} ms`;
  const seconds = elapsedMs / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

type Watched = RunningRequest | RefusedRequest;

function Caller({ request }: { request: Watched }) {
  const { identity_id: id, identity_name: name } = request;
  if (id === null) return 'Unknown';
  return <AccountLink id={id}>{name ?? `Account ${id}`}</AccountLink>;
}

function Means({ request }: { request: RunningRequest }) {
  const { key_id: keyId, person_id: personId } = request;
  if (keyId !== null) return `key ${keyId}`;
  return personId === null ? 'without a key' : <ActorName actor={`person:${personId}`} />;
}

const REQUEST: TableColumn<Watched> = {
  header: 'Request',
  isRowHeader: true,
  isWrapped: true,
  cell: ({ method, path, request_id: id }) => (
    <TwoLines
      first={
        <code className={styles.request}>
          {method} {path}
        </code>
      }
      second={id}
    />
  ),
};

const RUNNING_COLUMNS: readonly TableColumn<RunningRequest>[] = [
  REQUEST,
  {
    header: 'Account',
    cell: (request) => (
      <TwoLines first={<Caller request={request} />} second={<Means request={request} />} />
    ),
  },
  { header: 'Dataset', cell: ({ dataset_id }) => dataset_id ?? '–' },
  { header: 'Status', cell: ({ state }) => <Badge kind="quiet">{state}</Badge> },
  { header: 'Duration', cell: ({ elapsed_ms }) => elapsedText(elapsed_ms), isNumeric: true },
];

const REFUSED_COLUMNS: readonly TableColumn<RefusedRequest>[] = [
  {
    header: 'Time (UTC)',
    cell: ({ at }) => (
      <time dateTime={at}>
        <TwoLines first={at.slice(11, 19)} second={at.slice(0, 10)} />
      </time>
    ),
  },
  {
    header: 'Outcome',
    cell: ({ status }) => (
      <Badge kind={status >= 500 ? 'danger' : 'warning'}>{statusText(status)}</Badge>
    ),
  },
  REQUEST,
  { header: 'Reason', cell: ({ detail }) => detail, isWrapped: true },
  {
    header: 'Account',
    cell: (request) => (
      <TwoLines
        first={<Caller request={request} />}
        second={`from ${request.source_address ?? 'an unknown address'}`}
      />
    ),
  },
];

const REFRESH_MS = 1500;

function Board({ board }: { board: RequestBoard }) {
  const [caller, setCaller] = useState('');
  const [status, setStatus] = useState('');
  const { person } = useSession();
  const running = matchingRequests(board.running, caller).filter(
    ({ person_id, dataset_id }) => person_id !== person.person_id || dataset_id !== null,
  );
  const refused = matchingRequests(board.refused, caller).filter(
    (request) => status === '' || String(request.status) === status,
  );
  return (
    <>
      <Toolbar label="Filter requests">
        <SearchField
          label="Account"
          name="account"
          placeholder="Name or ID"
          value={caller}
          onValueChange={setCaller}
        />
        <SelectField
          label="Status of refused requests"
          name="status"
          value={status}
          options={statusOptions(board.refused, status)}
          onValueChange={setStatus}
        />
      </Toolbar>
      <Card title={`Running (${running.length})`}>
        <p>Your console’s own requests are not shown.</p>
        <Table
          caption="Running requests"
          columns={RUNNING_COLUMNS}
          rows={running}
          rowKey={({ request_id }) => request_id}
          empty="No requests are running."
        />
      </Card>
      <Card title={`Refused (${refused.length})`}>
        <p>Newest first: up to 200 since the server started.</p>
        <Table
          caption="Refused requests"
          columns={REFUSED_COLUMNS}
          rows={refused}
          rowKey={({ request_id }) => request_id}
          empty="No requests were refused."
        />
      </Card>
    </>
  );
}

export default function RequestsScreen() {
  const [isPaused, setIsPaused] = useState(false);
  const board = useQuery({
    ...requestBoardQuery,
    refetchInterval: isPaused ? false : REFRESH_MS,
    refetchOnWindowFocus: !isPaused,
  });
  return (
    <Page
      title="Requests"
      description="Requests that are running now or were refused recently. Updates live."
      actions={
        <Button icon={isPaused ? Play : Pause} onClick={() => setIsPaused(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      }
    >
      {isPaused && <p role="status">Paused. The lists below are not updating.</p>}
      <Loaded query={board} what="requests">
        {(loaded) => <Board board={loaded} />}
      </Loaded>
    </Page>
  );
}
