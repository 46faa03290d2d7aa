import { useQuery } from '@tanstack/react-query';
import type { Person } from '@ticklake/client';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { linkLabel, MakeLinkDialog } from '../people/link-making';
import { activation, deactivation } from '../people/person-changes';
import { personColumns } from '../people/person-columns';
import { useMadeLink } from '../people/use-made-link';
import { useSession } from '../session/use-session';
import type { Action } from '../ui/action-menu';
import { Button } from '../ui/button';
import { type Confirmation, ConfirmChange } from '../ui/confirm-dialog';
import { hasDraft } from '../ui/drafts';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import { Table } from '../ui/table';
import { InviteDialog } from './invite-dialog';
import { TEAM_PATH, teamQuery } from './team-queries';

/** What a manager may do about people of the account: nothing about owners, nor about themselves. */
function useTeamActions() {
  const { person: self } = useSession();
  const madeLink = useMadeLink();
  const [isInviting, setIsInviting] = useState(() => hasDraft('invitation'));
  const [linked, setLinked] = useState<Person | null>(null);
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const actionsOf = (person: Person): readonly Action[] => {
    if (person.role === 'owner' || person.person_id === self.person_id) return [];
    if (!person.is_active) {
      return [
        { label: 'Activate…', onChoose: () => setConfirmation(activation(person, TEAM_PATH)) },
      ];
    }
    return [
      { label: linkLabel(person), onChoose: () => setLinked(person) },
      { label: 'Deactivate…', onChoose: () => setConfirmation(deactivation(person, TEAM_PATH)) },
    ];
  };
  const dialogs = (
    <>
      {isInviting && (
        <InviteDialog onInvited={madeLink.show} onClose={() => setIsInviting(false)} />
      )}
      {linked && (
        <MakeLinkDialog
          person={linked}
          path={TEAM_PATH}
          onMade={madeLink.show}
          onClose={() => setLinked(null)}
        />
      )}
      <ConfirmChange confirmation={confirmation} onClose={() => setConfirmation(null)} />
      {madeLink.dialog}
    </>
  );
  return { actionsOf, dialogs, invite: () => setIsInviting(true) };
}

/** The people of the own account, for its managers. */
export function TeamScreen() {
  const people = useQuery(teamQuery);
  const { actionsOf, dialogs, invite } = useTeamActions();
  const columns = personColumns(actionsOf, null);
  return (
    <Page
      title="Team"
      description="Who can sign in and see this account."
      actions={
        <Button kind="primary" onClick={invite}>
          <Plus size={16} aria-hidden />
          Invite
        </Button>
      }
    >
      <Loaded query={people} what="the team">
        {(rows) => (
          <Table
            caption="Team"
            columns={columns}
            rows={rows}
            rowKey={({ person_id }) => person_id}
            empty="Nobody can sign in to this account yet."
          />
        )}
      </Loaded>
      {dialogs}
    </Page>
  );
}
