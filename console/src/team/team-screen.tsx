import type { Person, PersonLink, Role } from '@ticklake/client';
import { useState } from 'react';
import { clientState, postJson } from '../api/client';
import { rowsQuery } from '../api/queries';
import { linkLabel, useLinks } from '../people/link-making';
import { PeopleTable } from '../people/people-table';
import { personChange, ROLE_OPTIONS } from '../people/person-changes';
import { useSession } from '../session/session';
import type { Action } from '../ui/action-menu';
import { AddButton } from '../ui/button';
import { CheckboxField } from '../ui/checkbox-field';
import { type Confirmation, ConfirmChange } from '../ui/dialog';
import { hasDraft } from '../ui/drafts';
import { TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { emailProblem } from '../ui/input-problems';
import { Page, Query } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { useChangeForm } from '../ui/use-form';

const TEAM_PATH = '/account/my/people';

/** Beginning with the key of all queries of people. */
const teamQuery = rowsQuery<Person>(['people', 'team'], TEAM_PATH);

const ROLES = ROLE_OPTIONS.filter(({ value }) => value !== 'owner');

interface InviteDialogProps {
  onInvited: (link: PersonLink) => void;
  onClose: () => void;
}

function InviteDialog({ onInvited, onClose }: InviteDialogProps) {
  const form = useChangeForm({
    initial: { email: '', role: 'member' as Role, send_by_email: clientState.sendsEmail },
    problemsOf: ({ email }) => ({ email: emailProblem(email) }),
    draft: 'invitation',
    send: ({ email, ...others }) =>
      postJson<PersonLink>(`${TEAM_PATH}/invite`, { email: email.trim(), ...others }),
    touches: [['people']],
    onDone: (link) => {
      onClose();
      onInvited(link);
    },
  });
  const { field } = form;
  return (
    <FormDialog
      title="Invite to the team"
      description="This person gets a link to choose a password."
      {...{ form, onClose }}
      submitLabel="Invite"
    >
      <TextField label="E-mail address" type="email" {...field('email')} />
      <SelectField<Role> label="Role" options={ROLES} {...field('role')} />
      {clientState.sendsEmail && (
        <CheckboxField
          label="E-mail the link"
          description="Otherwise, you get a link to send yourself."
          {...field('send_by_email')}
        />
      )}
    </FormDialog>
  );
}

/** Managers may do nothing about owners, nor about themselves. */
function useTeamActions() {
  const { person: self } = useSession();
  const links = useLinks(TEAM_PATH);
  const [isInviting, setIsInviting] = useState(() => hasDraft('invitation'));
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const actionsOf = (person: Person): readonly Action[] => {
    if (person.role === 'owner' || person.person_id === self.person_id) return [];
    const ask = (act: 'activate' | 'deactivate') => () =>
      setConfirmation(personChange(act, person, TEAM_PATH));
    if (!person.is_active) return [{ label: 'Activate…', onChoose: ask('activate') }];
    return [
      { label: linkLabel(person), onChoose: () => links.ask(person) },
      { label: 'Deactivate…', onChoose: ask('deactivate') },
    ];
  };
  const dialogs = (
    <>
      {isInviting && <InviteDialog onInvited={links.show} onClose={() => setIsInviting(false)} />}
      <ConfirmChange confirmation={confirmation} onClose={() => setConfirmation(null)} />
      {links.dialogs}
    </>
  );
  return { actionsOf, dialogs, invite: () => setIsInviting(true) };
}

export default function TeamScreen() {
  const { actionsOf, dialogs, invite } = useTeamActions();
  return (
    <Page
      title="Team"
      description="Who can sign in and see this account."
      actions={<AddButton label="Invite" onClick={invite} />}
    >
      <Query of={teamQuery} what="the team">
        {(rows) => <PeopleTable caption="Team" rows={rows} actionsOf={actionsOf} />}
      </Query>
      {dialogs}
    </Page>
  );
}
