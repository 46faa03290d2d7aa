import { useNavigate } from '@tanstack/react-router';
import type { AdministeredIdentity } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import {
  type IdentityFields,
  identityBody,
  identityProblems,
  NEW_IDENTITY,
} from './identity-fields';
import { IdentityFormFields } from './identity-form-fields';
import { identitiesQuery } from './queries';

/** Asks for a new identity and goes to its screen. */
export function CreateIdentityDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const toasts = useToasts();
  const create = useChange({
    send: (fields: IdentityFields) =>
      postJson<AdministeredIdentity>('/identities', identityBody(fields, null)),
    touches: [identitiesQuery.queryKey],
    onDone: ({ identity_id, name }) => {
      toasts.add({ title: `${name} was created` });
      void navigate({ to: '/identities/$identityId', params: { identityId: String(identity_id) } });
    },
  });
  const form = useForm({
    initial: NEW_IDENTITY,
    problemsOf: identityProblems,
    change: create,
    draft: 'new-account',
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="New account"
      description="Without a plan, a new account can’t read any data. Add rules, limits and keys on its page."
    >
      <Form form={form} submitLabel="Create" isBusy={create.isPending} onCancel={onClose}>
        <IdentityFormFields values={form.values} errors={form.errors} set={form.set} isNew />
      </Form>
    </Dialog>
  );
}
