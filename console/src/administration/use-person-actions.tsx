import type { NewPerson, Person } from '@ticklake/client';
import { useState } from 'react';
import type { Action } from '../ui/action-menu';
import { type Confirmation, ConfirmChange } from '../ui/confirm-change';
import { activation, deactivation, deletion, passwordReset } from './person-changes';
import { ChangePersonDialog, CreatePersonDialog, PasswordDialog } from './person-dialogs';

/** The actions on people, and their dialogs. */
export function usePersonActions(newPersonIdentityId: number | null) {
  const [isCreating, setIsCreating] = useState(false);
  const [changed, setChanged] = useState<Person | null>(null);
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const [withPassword, setWithPassword] = useState<NewPerson | null>(null);
  const actionsOf = (person: Person): readonly Action[] => [
    { label: 'Change…', onChoose: () => setChanged(person) },
    {
      label: 'Reset password…',
      onChoose: () => setConfirmation(passwordReset(person, setWithPassword)),
    },
    person.is_active
      ? { label: 'Deactivate…', onChoose: () => setConfirmation(deactivation(person)) }
      : { label: 'Activate…', onChoose: () => setConfirmation(activation(person)) },
    { label: 'Delete…', onChoose: () => setConfirmation(deletion(person)), isDangerous: true },
  ];
  const dialogs = (
    <>
      {isCreating && (
        <CreatePersonDialog
          identityId={newPersonIdentityId}
          onCreated={(person) => {
            setIsCreating(false);
            setWithPassword(person);
          }}
          onClose={() => setIsCreating(false)}
        />
      )}
      {changed && <ChangePersonDialog person={changed} onClose={() => setChanged(null)} />}
      <ConfirmChange confirmation={confirmation} onClose={() => setConfirmation(null)} />
      <PasswordDialog person={withPassword} onClose={() => setWithPassword(null)} />
    </>
  );
  return { actionsOf, dialogs, create: () => setIsCreating(true) };
}
