import { useQuery } from '@tanstack/react-query';
import type { RequestBoard } from '@ticklake/client';
import { Pause, Play } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '../ui/button';
import { SearchField } from '../ui/field';
import { Loaded } from '../ui/loading';
import { Card, Page } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { Table } from '../ui/table';
import { Toolbar } from '../ui/toolbar';
import { requestBoardQuery } from './queries';
import { REFUSED_COLUMNS, RUNNING_COLUMNS } from './request-columns';
import { ALL_STATUSES, matchingRequests, statusOptions } from './request-search';

const REFRESH_MS = 1500;

function Board({ board }: { board: RequestBoard }) {
  const [caller, setCaller] = useState('');
  const [status, setStatus] = useState(ALL_STATUSES);
  const statuses = useMemo(() => statusOptions(board.refused, status), [board.refused, status]);
  const running = matchingRequests(board.running, caller);
  const refused = matchingRequests(board.refused, caller).filter(
    (request) => status === ALL_STATUSES || String(request.status) === status,
  );
  return (
    <>
      <Toolbar label="Filter requests">
        <SearchField
          label="Account"
          name="identity"
          placeholder="Name or ID"
          value={caller}
          onValueChange={setCaller}
        />
        <SelectField
          label="Status of refused requests"
          name="status"
          value={status}
          options={statuses}
          onValueChange={setStatus}
        />
      </Toolbar>
      <Card title={`Running (${running.length})`}>
        <Table
          caption="Running requests"
          columns={RUNNING_COLUMNS}
          rows={running}
          rowKey={({ request_id }) => request_id}
          empty="No requests are running."
        />
      </Card>
      <Card title={`Refused (${refused.length})`}>
        <p>Newest first: the last 200 since the server started.</p>
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

export function RequestsScreen() {
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
        <Button onClick={() => setIsPaused(!isPaused)}>
          {isPaused ? <Play size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
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
