import type { ApiKey } from '@ticklake/client';
import { postJson } from '../api/client';
import { TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { nameProblem } from '../ui/name-problem';
import { useChangeForm } from '../ui/use-form';
import { useKeyAccount } from './key-account';

export function RenameKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { keyPath, touches } = useKeyAccount();
  const form = useChangeForm({
    initial: { name: apiKey.name },
    problemsOf: ({ name }) => ({ name: nameProblem(name) }),
    send: ({ name }) => postJson<ApiKey>(`${keyPath(apiKey.key_id)}/rename`, { name }),
    touches,
    done: ({ name }) => `The key is now called “${name}”`,
    onDone: onClose,
  });
  return (
    <FormDialog title="Rename an API key" form={form} submitLabel="Rename" onClose={onClose}>
      <TextField label="Name" {...form.field('name')} />
    </FormDialog>
  );
}
