import type { ApiKey } from '@ticklake/client';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { nameProblem } from '../ui/name-problem';
import { TextField } from '../ui/text-field';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import { useRenameKey } from './key-changes';

interface RenameProps {
  apiKey: ApiKey;
  onClose: () => void;
}

function RenameForm({ apiKey, onClose }: RenameProps) {
  const toasts = useToasts();
  const rename = useRenameKey(apiKey.key_id, ({ name }) => {
    onClose();
    toasts.add({ title: `The key is now called “${name}”` });
  });
  const form = useForm({
    initial: { name: apiKey.name },
    problemsOf: ({ name }: { name: string }) => ({ name: nameProblem(name) }),
    change: rename,
  });
  return (
    <Form form={form} submitLabel="Rename" isBusy={rename.isPending} onCancel={onClose}>
      <TextField
        label="Name"
        name="name"
        value={form.values.name}
        onValueChange={form.set('name')}
        error={form.errors.name}
      />
    </Form>
  );
}

/** Open while there is a key to rename. */
export function RenameKeyDialog(props: { apiKey: ApiKey | null; onClose: () => void }) {
  const { apiKey, onClose } = props;
  return (
    <Dialog isOpen={apiKey !== null} onClose={onClose} title="Rename an API key">
      {apiKey && <RenameForm apiKey={apiKey} onClose={onClose} />}
    </Dialog>
  );
}
