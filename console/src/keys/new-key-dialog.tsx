import type { NewApiKey } from '@ticklake/client';
import { SecretDialog } from '../ui/secret-dialog';

interface NewKeyDialogProps {
  created: NewApiKey | null;
  onClose: () => void;
}

/** The only place that a key is ever shown. */
export function NewKeyDialog({ created, onClose }: NewKeyDialogProps) {
  return (
    <SecretDialog
      secret={created?.api_key ?? null}
      title={`Store the key “${created?.name ?? ''}” now`}
      label="API key"
      warning="This is the only time the key is shown. If you lose it, create a new key."
      onClose={onClose}
    >
      <p>
        Programs send it in the header <code>X-API-KEY</code>.
      </p>
    </SecretDialog>
  );
}
