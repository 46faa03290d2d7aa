import { useQuery } from '@tanstack/react-query';
import type { EndedSessions, Person } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { plural } from '../format/amounts';
import { SessionTable } from '../people/session-table';
import { Button } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { Loaded } from '../ui/loading';
import { Notice } from '../ui/notice';
import { useToasts } from '../ui/toasts';
import { personSessionsQuery } from './queries';

/** Where somebody is signed in, for an owner. */
export function PersonSessionsDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const toasts = useToasts();
  const query = personSessionsQuery(person.person_id);
  const sessions = useQuery(query);
  const end = useChange({
    send: (body: { session_id?: string }) =>
      postJson<EndedSessions>(`/people/${person.person_id}/end-sessions`, body),
    touches: [query.queryKey],
    onDone: ({ ended_count }) => toasts.add({ title: `Ended ${plural(ended_count, 'session')}` }),
  });
  return (
    <Dialog isOpen onClose={onClose} title={`Sessions of ${person.email}`}>
      <Loaded query={sessions} what="the sessions">
        {(rows) => (
          <SessionTable
            sessions={rows}
            isBusy={end.isPending}
            onEnd={(session_id) => end.mutate({ session_id })}
          />
        )}
      </Loaded>
      {end.error && <Notice kind="danger">{end.error.message}</Notice>}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {sessions.data !== undefined && sessions.data.length > 0 && (
          <Button kind="danger" isBusy={end.isPending} onClick={() => end.mutate({})}>
            End all
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
