import type { NewSecondFactor, RecoveryCodes } from '@ticklake/client';
import { useState } from 'react';
import { postJson } from '../api/client';
import { Dialog } from '../ui/dialog';
import { PasswordField, TextField } from '../ui/field';
import { Form } from '../ui/form';
import { QrCode } from '../ui/qr-code';
import { useChangeForm } from '../ui/use-form';
import styles from './turn-on-dialog.module.css';

interface TurnOnProps {
  onCodes: (codes: readonly string[]) => void;
  onClose: () => void;
}

interface PasswordStepProps {
  onMade: (made: NewSecondFactor) => void;
  onClose: () => void;
}

function PasswordStep({ onMade, onClose }: PasswordStepProps) {
  const form = useChangeForm({
    initial: { current_password: '' },
    problemsOf: ({ current_password }) => ({
      current_password: current_password === '' ? 'Enter your password' : '',
    }),
    send: (values) => postJson<NewSecondFactor>('/session/second-factor/begin', values),
    onDone: onMade,
  });
  return (
    <Form form={form} submitLabel="Continue" onCancel={onClose}>
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        {...form.field('current_password')}
      />
    </Form>
  );
}

function CodeStep({ made, onCodes, onClose }: TurnOnProps & { made: NewSecondFactor }) {
  const form = useChangeForm({
    initial: { code: '' },
    problemsOf: ({ code }) => ({ code: code.trim() === '' ? 'Enter the code' : '' }),
    send: ({ code }) => postJson<RecoveryCodes>('/session/second-factor/on', { code: code.trim() }),
    touches: [['second-factor'], ['my-sessions']],
    onDone: ({ recovery_codes }) => {
      onClose();
      onCodes(recovery_codes);
    },
  });
  return (
    <Form form={form} submitLabel="Turn on" onCancel={onClose}>
      <div className={styles.scan}>
        <QrCode text={made.uri} label="QR code to scan with an authenticator app" />
        <div>
          <p>Scan the code with your authenticator app. If you can’t, type this key:</p>
          <p className={styles.secret}>
            <code>{made.secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code>
          </p>
        </div>
      </div>
      <TextField
        label="Code from the app"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        {...form.field('code')}
      />
    </Form>
  );
}

/** From the password over the QR code to the first code. */
export function TurnOnDialog({ onCodes, onClose }: TurnOnProps) {
  const [made, setMade] = useState<NewSecondFactor | null>(null);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Turn on the second factor"
      description="This ends your other sessions."
    >
      {made ? (
        <CodeStep made={made} onCodes={onCodes} onClose={onClose} />
      ) : (
        <PasswordStep onMade={setMade} onClose={onClose} />
      )}
    </Dialog>
  );
}
