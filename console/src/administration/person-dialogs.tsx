import { useQuery } from '@tanstack/react-query';
import type { NewPerson, Person, PersonLink, Role } from '@ticklake/client';
import { clientState, postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { SecretDialog } from '../ui/secret-dialog';
import { SelectField } from '../ui/select-field';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import {
  fieldsOfPerson,
  firstRole,
  newPersonBody,
  type PersonFields,
  personChanges,
  personProblems,
} from './person-fields';
import { PersonFormFields } from './person-form';
import { peopleQuery } from './queries';

/** How a new person gets in. */
type WayIn = 'link' | 'email' | 'password';

const WAYS: readonly { readonly value: WayIn; readonly label: string }[] = [
  { value: 'email', label: 'E-mail an invitation' },
  { value: 'link', label: 'Show me an invitation link to send' },
  { value: 'password', label: 'Generate an initial password' },
];

interface NewPersonFields extends Readonly<Record<string, unknown>> {
  readonly email: string;
  /** Null until one is chosen: the role that suits the account. */
  readonly role: Role | null;
  readonly identity_id: string;
  readonly way: WayIn;
}

interface CreatePersonProps {
  /** The identity that is chosen at first; null: none. */
  identityId: number | null;
  /** With an initial password. */
  onCreated: (person: NewPerson) => void;
  onInvited: (link: PersonLink) => void;
  onClose: () => void;
}

/** Creates a person who gets in by one of the ways. */
function createPerson({
  way,
  ...fields
}: PersonFields & { way: WayIn }): Promise<NewPerson | PersonLink> {
  const body = newPersonBody(fields);
  if (way === 'password') return postJson<NewPerson>('/people', body);
  return postJson<PersonLink>('/people/invite', { ...body, send_by_email: way === 'email' });
}

export function CreatePersonDialog(props: CreatePersonProps) {
  const { identityId, onCreated, onInvited, onClose } = props;
  const { data: people } = useQuery(peopleQuery(null));
  const withRole = (fields: NewPersonFields) => ({
    ...fields,
    role: fields.role ?? (people ? firstRole(people, fields.identity_id) : 'member'),
  });
  const create = useChange({
    send: (fields: NewPersonFields) => createPerson(withRole(fields)),
    touches: [['people']],
    onDone: (made) => {
      onClose();
      if ('password' in made) onCreated(made);
      else onInvited(made);
    },
  });
  const form = useForm<NewPersonFields>({
    initial: {
      email: '',
      role: null,
      identity_id: identityId ? String(identityId) : '',
      way: clientState.sendsEmail ? 'email' : 'link',
    },
    problemsOf: (fields) => personProblems(withRole(fields)),
    change: create,
    draft: 'new-person',
  });
  return (
    <Dialog isOpen onClose={onClose} title="New person">
      <Form form={form} submitLabel="Create" isBusy={create.isPending} onCancel={onClose}>
        <PersonFormFields values={withRole(form.values)} errors={form.errors} set={form.set} />
        <SelectField<WayIn>
          label="First sign-in"
          name="way"
          value={form.values.way}
          options={WAYS.filter(({ value }) => value !== 'email' || clientState.sendsEmail)}
          onValueChange={form.set('way')}
          error={form.errors.way}
        />
      </Form>
    </Dialog>
  );
}

export function ChangePersonDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const toasts = useToasts();
  const kept = fieldsOfPerson(person);
  const update = useChange({
    send: (fields: PersonFields) =>
      postJson<Person>(`/people/${person.person_id}/update`, personChanges(fields, kept)),
    touches: [['people'], ['session']],
    onDone: ({ email }) => {
      toasts.add({ title: `${email} was changed` });
      onClose();
    },
  });
  const form = useForm({ initial: kept, problemsOf: personProblems, change: update });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Change ${person.email}`}
      description="Changing the role or account ends this person’s sessions."
    >
      <Form
        form={form}
        submitLabel="Save"
        isBusy={update.isPending}
        isUnchanged={Object.keys(personChanges(form.values, kept)).length === 0}
        onCancel={onClose}
      >
        <PersonFormFields values={form.values} errors={form.errors} set={form.set} />
      </Form>
    </Dialog>
  );
}

/** An initial password, told once. */
export function PasswordDialog(props: { person: NewPerson | null; onClose: () => void }) {
  const { person, onClose } = props;
  return (
    <SecretDialog
      secret={person?.password ?? null}
      title={`Initial password of ${person?.email ?? ''}`}
      label="Initial password"
      warning="This is the only time it is shown. Send it securely; the person is asked to change it."
      onClose={onClose}
    />
  );
}
