import { useQuery } from '@tanstack/react-query';
import type { EndedSessions } from '@ticklake/client';
import { postJson } from '../api/client';
import { plural } from '../format/amounts';
import { SessionTable } from '../people/session-table';
import { Button } from '../ui/button';
import { Loaded } from '../ui/loading';
import { Notice } from '../ui/notice';
import { Card } from '../ui/page';
import { useChange } from '../ui/use-change';
import { mySessionsQuery } from './second-factor-queries';

/** Where the person is signed in, and ending that. */
export function SessionsCard() {
  const sessions = useQuery(mySessionsQuery);
  const end = useChange({
    send: (body: { session_id?: string }) => postJson<EndedSessions>('/session/all/end', body),
    touches: [mySessionsQuery.queryKey],
    done: ({ ended_count }) => `Ended ${plural(ended_count, 'session')}`,
  });
  return (
    <Card title="Where you are signed in">
      <Loaded query={sessions} what="your sessions">
        {(rows) => (
          <>
            <SessionTable
              sessions={rows}
              isBusy={end.isPending}
              onEnd={(session_id) => end.mutate({ session_id })}
            />
            {rows.length > 1 && (
              <div>
                <Button isBusy={end.isPending} onClick={() => end.mutate({})}>
                  End all other sessions
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
      {end.error && <Notice kind="danger">{end.error.message}</Notice>}
    </Card>
  );
}
