import type { PersonLink, Role } from '@ticklake/client';
import { clientState, postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { emailProblem } from '../people/email-problem';
import { CheckboxField } from '../ui/checkbox-field';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { SelectField } from '../ui/select-field';
import { TextField } from '../ui/text-field';
import { useForm } from '../ui/use-form';
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
  const invite = useChange({
    send: ({ email, ...others }: Invitation) =>
      postJson<PersonLink>(`${TEAM_PATH}/invite`, { email: email.trim(), ...others }),
    touches: [['people']],
    onDone: (link) => {
      onClose();
      onInvited(link);
    },
  });
  const form = useForm<Invitation>({
    initial: { email: '', role: 'member', send_by_email: clientState.sendsEmail },
    problemsOf: ({ email }) => ({ email: emailProblem(email) }),
    change: invite,
    draft: 'invitation',
  });
  const { values, set, errors } = form;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Invite to the team"
      description="This person gets a link to choose a password."
    >
      <Form form={form} submitLabel="Invite" isBusy={invite.isPending} onCancel={onClose}>
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          value={values.email}
          onValueChange={set('email')}
          error={errors.email}
        />
        <SelectField<Role>
          label="Role"
          name="role"
          value={values.role}
          options={ROLES}
          onValueChange={set('role')}
          error={errors.role}
        />
        {clientState.sendsEmail && (
          <CheckboxField
            label="E-mail the link"
            name="send_by_email"
            isChecked={values.send_by_email}
            onCheckedChange={set('send_by_email')}
            description="Otherwise, you get a link to send yourself."
          />
        )}
      </Form>
    </Dialog>
  );
}
