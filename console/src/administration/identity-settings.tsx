import type { AdministeredIdentity } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Form } from '../ui/form';
import { Card } from '../ui/page';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import { fieldsOf, type IdentityFields, identityBody, identityProblems } from './identity-fields';
import { IdentityFormFields } from './identity-form-fields';
import { identityTouches } from './queries';

/** Changes name, ceiling, subnets and mark of an identity. */
export function IdentitySettings({ identity }: { identity: AdministeredIdentity }) {
  const toasts = useToasts();
  const { identity_id: id } = identity;
  const kept = fieldsOf(identity);
  const update = useChange({
    send: (fields: IdentityFields) =>
      postJson<AdministeredIdentity>(`/identities/${id}/update`, identityBody(fields, kept)),
    touches: identityTouches(id),
    onDone: (after) => {
      toasts.add({ title: 'The settings were saved' });
      form.reset(fieldsOf(after));
    },
  });
  const form = useForm({ initial: kept, problemsOf: identityProblems, change: update });
  return (
    <Card title="Settings">
      <Form
        form={form}
        submitLabel="Save"
        isBusy={update.isPending}
        isUnchanged={Object.keys(identityBody(form.values, kept)).length === 0}
      >
        <IdentityFormFields values={form.values} errors={form.errors} set={form.set} />
      </Form>
    </Card>
  );
}
