import type { NewPerson, Person } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { SecretDialog } from '../ui/secret-dialog';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import {
  fieldsOfPerson,
  newPersonBody,
  type PersonFields,
  personChanges,
  personProblems,
} from './person-fields';
import { PersonFormFields } from './person-form';

interface CreatePersonProps {
  /** The identity that is chosen at first; null: none. */
  identityId: number | null;
  onCreated: (person: NewPerson) => void;
  onClose: () => void;
}

export function CreatePersonDialog({ identityId, onCreated, onClose }: CreatePersonProps) {
  const create = useChange({
    send: (fields: PersonFields) => postJson<NewPerson>('/people', newPersonBody(fields)),
    touches: [['people']],
    onDone: onCreated,
  });
  const form = useForm<PersonFields>({
    initial: { email: '', role: 'member', identity_id: identityId ? String(identityId) : '' },
    problemsOf: personProblems,
    change: create,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="New person"
      description="An initial password is created and shown once."
    >
      <Form form={form} submitLabel="Create" isBusy={create.isPending} onCancel={onClose}>
        <PersonFormFields values={form.values} errors={form.errors} set={form.set} />
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
