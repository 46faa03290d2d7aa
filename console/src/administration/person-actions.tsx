import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { BodyOf, NewPerson, Person, PersonLink, Role } from '@ticklake/client';
import { clientState, postJson } from '../api/client';
import { askForLink, linkLabel, showLink } from '../people/link-making';
import { personChange, ROLE_OPTIONS } from '../people/person-changes';
import { SessionTable, useEndSessions } from '../people/session-table';
import type { Action } from '../ui/action-menu';
import { Button } from '../ui/button';
import { ComboboxField } from '../ui/combobox-field';
import { confirmChange, Dialog, DialogActions, SecretDialog } from '../ui/dialog';
import { useReopened } from '../ui/drafts';
import { TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { emailProblem } from '../ui/input-problems';
import { closeDialog, showDialog } from '../ui/open-dialog';
import { Loaded, Notice } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { changedValues, type FormField, useChangeForm } from '../ui/use-form';
import { accountsQuery, peopleQuery, personSessionsQuery } from './queries';

export type PersonFields = ReturnType<typeof fieldsOfPerson>;

function fieldsOfPerson({ email, role, identity_id }: Person) {
  return { email, role, identity_id: identity_id === null ? '' : String(identity_id) };
}

/** The first person of an account manages it: nobody else there could make keys or invite. */
export function firstRole(people: readonly Person[], accountId: string): Role {
  const managing = people.some(
    ({ identity_id, role, is_active }) =>
      String(identity_id) === accountId && role !== 'member' && is_active,
  );
  return accountId === '' || managing ? 'member' : 'manager';
}

export function personProblems({ email, role, identity_id }: PersonFields) {
  const needsAccount = role !== 'owner' && identity_id === '';
  return {
    email: emailProblem(email),
    identity_id: needsAccount ? `Choose the account that the ${role} belongs to` : '',
  };
}

function sentValues({ email, role, identity_id }: PersonFields) {
  return {
    email: email.trim(),
    role,
    identity_id: identity_id === '' ? null : Number(identity_id),
  };
}

/** Body that creates a person; without an account for an owner who has no account. */
export function newPersonBody(fields: PersonFields): BodyOf<'createPerson'> {
  const { identity_id, ...others } = sentValues(fields);
  return identity_id === null ? others : { ...others, identity_id };
}

export function personChanges(fields: PersonFields, kept: PersonFields): BodyOf<'updatePerson'> {
  return changedValues(sentValues(fields), sentValues(kept));
}

interface PersonFormProps {
  role: FormField<Role>;
  field: (name: 'email' | 'identity_id') => FormField<string>;
}

function PersonFormFields({ role, field }: PersonFormProps) {
  const { data: accounts = [] } = useQuery(accountsQuery);
  const options = accounts.map(({ identity_id, name }) => ({
    value: String(identity_id),
    label: name,
    hint: `Account ${identity_id}`,
  }));
  const none = { value: '', label: 'No account of their own' };
  return (
    <>
      <TextField
        label="E-mail address"
        type="email"
        description="Used to sign in. Must be unique."
        {...field('email')}
      />
      <SelectField<Role> label="Role" options={ROLE_OPTIONS} {...role} />
      <ComboboxField
        label="Account"
        options={role.value === 'owner' ? [none, ...options] : options}
        placeholder="Name or ID"
        empty="No accounts match."
        description="The account that this person can see."
        {...field('identity_id')}
      />
    </>
  );
}

type WayIn = 'link' | 'email' | 'password';

const WAYS: readonly { readonly value: WayIn; readonly label: string }[] = [
  { value: 'email', label: 'E-mail an invitation' },
  { value: 'link', label: 'Show me an invitation link to send' },
  { value: 'password', label: 'Generate an initial password' },
];

/** The role is null until one is chosen: that which suits the account. */
type NewPersonFields = Omit<PersonFields, 'role'> & { role: Role | null; way: WayIn };

function createPerson(fields: PersonFields, way: WayIn): Promise<NewPerson | PersonLink> {
  const body = newPersonBody(fields);
  if (way === 'password') return postJson<NewPerson>('/people', body);
  return postJson<PersonLink>('/people/invite', { ...body, send_by_email: way === 'email' });
}

interface CreatePersonProps {
  /** The address of somebody who has asked for access. */
  email: string;
  accountId: number | null;
}

function CreatePersonDialog({ email, accountId }: CreatePersonProps) {
  const { data: people } = useQuery(peopleQuery(null));
  const queries = useQueryClient();
  const roleOf = ({ role, identity_id }: NewPersonFields, known = people) =>
    role ?? (known ? firstRole(known, identity_id) : 'member');
  const form = useChangeForm<NewPersonFields, NewPerson | PersonLink>({
    initial: {
      email,
      role: null,
      identity_id: accountId ? String(accountId) : '',
      way: clientState.sendsEmail ? 'email' : 'link',
    },
    problemsOf: (fields) => personProblems({ ...fields, role: roleOf(fields) }),
    ...(email === '' ? { draft: 'new-person' } : {}),
    // Somebody may be faster than the list of people, which decides the role.
    send: async (fields) => {
      const role = roleOf(fields, await queries.ensureQueryData(peopleQuery(null)));
      return createPerson({ ...fields, role }, fields.way);
    },
    touches: [['people'], ['enquiries']],
    onDone: (made) => {
      if ('password' in made) showPassword(made);
      else showLink(made);
    },
  });
  const { field } = form;
  const ways = WAYS.filter(({ value }) => value !== 'email' || clientState.sendsEmail);
  return (
    <FormDialog title="New person" form={form} submitLabel="Create">
      <PersonFormFields role={{ ...field('role'), value: roleOf(form.values) }} field={field} />
      <SelectField<WayIn> label="First sign-in" options={ways} {...field('way')} />
    </FormDialog>
  );
}

function ChangePersonDialog({ person }: { person: Person }) {
  const kept = fieldsOfPerson(person);
  const form = useChangeForm({
    initial: kept,
    problemsOf: personProblems,
    send: (fields) =>
      postJson<Person>(`/people/${person.person_id}/update`, personChanges(fields, kept)),
    touches: [['people'], ['session']],
    done: ({ email }) => `${email} was changed`,
  });
  return (
    <FormDialog
      title={`Change ${person.email}`}
      description="Changing the role or account ends this person’s sessions."
      form={form}
      submitLabel="Save"
      isUnchanged={Object.keys(personChanges(form.values, kept)).length === 0}
    >
      <PersonFormFields role={form.field('role')} field={form.field} />
    </FormDialog>
  );
}

function showPassword({ email, password }: NewPerson): void {
  showDialog(
    <SecretDialog
      secret={password}
      title={`Initial password of ${email}`}
      label="Initial password"
      warning="This is the only time it is shown. Send it securely; the person is asked to change it."
    />,
  );
}

function PersonSessionsDialog({ person }: { person: Person }) {
  const query = personSessionsQuery(person.person_id);
  const sessions = useQuery(query);
  const end = useEndSessions(`/people/${person.person_id}/end-sessions`, query.queryKey);
  return (
    <Dialog title={`Sessions of ${person.email}`}>
      <Loaded query={sessions} what="the sessions">
        {(rows) => <SessionTable sessions={rows} end={end} />}
      </Loaded>
      {end.error && <Notice kind="danger">{end.error.message}</Notice>}
      <DialogActions>
        <Button onClick={closeDialog}>Close</Button>
        {sessions.data !== undefined && sessions.data.length > 0 && (
          <Button kind="danger" isBusy={end.isPending} onClick={() => end.mutate({})}>
            End all
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

export function personActions(person: Person): readonly Action[] {
  const ask = (
    label: string,
    act: Parameters<typeof personChange>[0],
    onDone?: (answer: unknown) => void,
  ) => ({
    label,
    onChoose: () => confirmChange({ ...personChange(act, person), ...(onDone && { onDone }) }),
  });
  return [
    { label: 'Change…', onChoose: () => showDialog(<ChangePersonDialog person={person} />) },
    ...(person.is_active
      ? [{ label: linkLabel(person), onChoose: () => askForLink(person, '/people') }]
      : []),
    ask('Reset password…', 'reset-password', (answer) => showPassword(answer as NewPerson)),
    ...(person.has_second_factor ? [ask('Reset second factor…', 'reset-second-factor')] : []),
    { label: 'Sessions…', onChoose: () => showDialog(<PersonSessionsDialog person={person} />) },
    person.is_active ? ask('Deactivate…', 'deactivate') : ask('Activate…', 'activate'),
    { ...ask('Delete…', 'delete'), isDangerous: true },
  ];
}

/** Asks for a new person, of an account if it is given; `email`: who has asked to be one. */
export function useNewPerson(accountId: number | null): (email?: string) => void {
  const create = (email = '') => showDialog(<CreatePersonDialog {...{ email, accountId }} />);
  useReopened('new-person', create);
  return create;
}
