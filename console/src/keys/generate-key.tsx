import type { NewApiKey } from '@ticklake/client';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { hasDraft } from '../ui/drafts';
import { useKeyAccount } from './key-account';
import { useCreateKey } from './key-changes';
import { KeyFields } from './key-fields';
import { newKeyValues } from './key-form';
import { NewKeyDialog } from './new-key-dialog';

/** The form of a new key, which outlives a session that ends. */
const DRAFT = 'new-key';

interface FormProps {
  onCreated: (key: NewApiKey) => void;
  onCancel: () => void;
}

function GenerateForm({ onCreated, onCancel }: FormProps) {
  const create = useCreateKey(onCreated);
  const { contractEndsAt } = useKeyAccount();
  const [initial] = useState(() => newKeyValues({ nowMs: Date.now(), contractEndsAt }));
  return (
    <KeyFields
      initial={initial}
      draft={DRAFT}
      create={create}
      submitLabel="Generate the key"
      onCancel={onCancel}
    />
  );
}

/** The button that leads to a new key, which is then shown once. */
export function GenerateKey({ isFull }: { isFull: boolean }) {
  const [isOpen, setIsOpen] = useState(() => hasDraft(DRAFT));
  const [created, setCreated] = useState<NewApiKey | null>(null);
  const show = (key: NewApiKey) => {
    setIsOpen(false);
    setCreated(key);
  };
  const close = () => setIsOpen(false);
  return (
    <>
      <Button
        kind="primary"
        disabled={isFull}
        aria-describedby="ceiling"
        onClick={() => setIsOpen(true)}
      >
        <Plus size={16} aria-hidden />
        Generate a key
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title="Generate an API key">
        <GenerateForm onCreated={show} onCancel={close} />
      </Dialog>
      <NewKeyDialog created={created} onClose={() => setCreated(null)} />
    </>
  );
}
