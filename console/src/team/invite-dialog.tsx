import type { PersonLink, Role } from '@ticklake/client';
import { clientState, postJson } from '../api/client';
import { emailProblem } from '../people/email-problem';
import { CheckboxField } from '../ui/checkbox-field';
import { TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { SelectField } from '../ui/select-field';
import { useChangeForm } from '../ui/use-form';
import { TEAM_PATH } from './team-queries';

const ROLES: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'member', label: 'Member: sees the account and explores data' },
  { value: 'manager', label: 'Manager: also changes keys, subnets and the team' },
];

interface Invitation extends Readonly<Record<string, unknown>> {
  readonly email: string;
  readonly role: Role;
  readonly send_by_email: boolean;
}

interface InviteDialogProps {
  onInvited: (link: PersonLink) => void;
  onClose: () => void;
}

export function InviteDialog({ onInvited, onClose }: InviteDialogProps) {
  const form = useChangeForm<Invitation, PersonLink>({
    initial: { email: '', role: 'member', send_by_email: clientState.sendsEmail },
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
      form={form}
      submitLabel="Invite"
      onClose={onClose}
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
