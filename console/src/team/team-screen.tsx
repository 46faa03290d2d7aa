import type { Person, PersonLink, Role } from '@ticklake/client';
import { clientState, postJson } from '../api/client';
import { rowsQuery } from '../api/queries';
import { askForLink, linkLabel, showLink } from '../people/link-making';
import { PeopleTable } from '../people/people-table';
import { personChange, ROLE_OPTIONS } from '../people/person-changes';
import { useSession } from '../session/session';
import type { Action } from '../ui/action-menu';
import { AddButton } from '../ui/button';
import { CheckboxField } from '../ui/checkbox-field';
import { confirmChange } from '../ui/dialog';
import { useReopened } from '../ui/drafts';
import { TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { emailProblem } from '../ui/input-problems';
import { showDialog } from '../ui/open-dialog';
import { Page, Query } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { useChangeForm } from '../ui/use-form';

const TEAM_PATH = '/account/my/people';

/** Beginning with the key of all queries of people. */
const teamQuery = rowsQuery<Person>(['people', 'team'], TEAM_PATH);

const ROLES = ROLE_OPTIONS.filter(({ value }) => value !== 'owner');

function InviteDialog() {
  const form = useChangeForm({
    initial: { email: '', role: 'member' as Role, send_by_email: clientState.sendsEmail },
    problemsOf: ({ email }) => ({ email: emailProblem(email) }),
    draft: 'invitation',
    send: ({ email, ...others }) =>
      postJson<PersonLink>(`${TEAM_PATH}/invite`, { email: email.trim(), ...others }),
    touches: [['people']],
    onDone: showLink,
  });
  const { field } = form;
  return (
    <FormDialog
      title="Invite to the team"
      description="This person gets a link to choose a password."
      form={form}
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
function actionsFor(self: Person['person_id'], person: Person): readonly Action[] {
  if (person.role === 'owner' || person.person_id === self) return [];
  const ask = (label: string, act: 'activate' | 'deactivate') => ({
    label,
    onChoose: () => confirmChange(personChange(act, person, TEAM_PATH)),
  });
  if (!person.is_active) return [ask('Activate…', 'activate')];
  return [
    { label: linkLabel(person), onChoose: () => askForLink(person, TEAM_PATH) },
    ask('Deactivate…', 'deactivate'),
  ];
}

export default function TeamScreen() {
  const { person_id: self } = useSession().person;
  const invite = () => showDialog(<InviteDialog />);
  useReopened('invitation', invite);
  return (
    <Page
      title="Team"
      description="Who can sign in and see this account."
      actions={<AddButton label="Invite" onClick={invite} />}
    >
      <Query of={teamQuery} what="the team">
        {(rows) => (
          <PeopleTable
            caption="Team"
            rows={rows}
            actionsOf={(person) => actionsFor(self, person)}
          />
        )}
      </Query>
    </Page>
  );
}
