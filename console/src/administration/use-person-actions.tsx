import type { NewPerson, Person } from '@ticklake/client';
import { useState } from 'react';
import { linkLabel, MakeLinkDialog } from '../people/link-making';
import {
  activation,
  deactivation,
  deletion,
  passwordReset,
  secondFactorReset,
} from '../people/person-changes';
import { useMadeLink } from '../people/use-made-link';
import type { Action } from '../ui/action-menu';
import { type Confirmation, ConfirmChange } from '../ui/confirm-change';
import { hasDraft } from '../ui/drafts';
import { ChangePersonDialog, CreatePersonDialog, PasswordDialog } from './person-dialogs';
import { PersonSessionsDialog } from './person-sessions-dialog';

/** The actions on people, and their dialogs. */
export function usePersonActions(newPersonIdentityId: number | null) {
  const [isCreating, setIsCreating] = useState(() => hasDraft('new-person'));
  const [changed, setChanged] = useState<Person | null>(null);
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const [linked, setLinked] = useState<Person | null>(null);
  const [withSessions, setWithSessions] = useState<Person | null>(null);
  const madeLink = useMadeLink();
  const [withPassword, setWithPassword] = useState<NewPerson | null>(null);
  const actionsOf = (person: Person): readonly Action[] => [
    { label: 'Change…', onChoose: () => setChanged(person) },
    ...(person.is_active ? [{ label: linkLabel(person), onChoose: () => setLinked(person) }] : []),
    {
      label: 'Reset password…',
      onChoose: () => setConfirmation(passwordReset(person, setWithPassword)),
    },
    ...(person.has_second_factor
      ? [
          {
            label: 'Reset second factor…',
            onChoose: () => setConfirmation(secondFactorReset(person)),
          },
        ]
      : []),
    { label: 'Sessions…', onChoose: () => setWithSessions(person) },
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
          onCreated={setWithPassword}
          onInvited={madeLink.show}
          onClose={() => setIsCreating(false)}
        />
      )}
      {changed && <ChangePersonDialog person={changed} onClose={() => setChanged(null)} />}
      {linked && (
        <MakeLinkDialog
          person={linked}
          path="/people"
          onMade={madeLink.show}
          onClose={() => setLinked(null)}
        />
      )}
      {withSessions && (
        <PersonSessionsDialog person={withSessions} onClose={() => setWithSessions(null)} />
      )}
      {madeLink.dialog}
      <ConfirmChange confirmation={confirmation} onClose={() => setConfirmation(null)} />
      <PasswordDialog person={withPassword} onClose={() => setWithPassword(null)} />
    </>
  );
  return { actionsOf, dialogs, create: () => setIsCreating(true) };
}
