import type { NewSecondFactor, RecoveryCodes } from '@ticklake/client';
import { useState } from 'react';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { PasswordField } from '../ui/password-field';
import { QrCode } from '../ui/qr-code';
import { TextField } from '../ui/text-field';
import { useForm } from '../ui/use-form';
import styles from './turn-on-dialog.module.css';

interface TurnOnProps {
  onCodes: (codes: readonly string[]) => void;
  onClose: () => void;
}

function PasswordStep({
  onMade,
  onClose,
}: {
  onMade: (made: NewSecondFactor) => void;
  onClose: () => void;
}) {
  const begin = useChange({
    send: (values: { current_password: string }) =>
      postJson<NewSecondFactor>('/session/second-factor/begin', values),
    touches: [],
    onDone: onMade,
  });
  const form = useForm({
    initial: { current_password: '' },
    problemsOf: ({ current_password }) => ({
      current_password: current_password === '' ? 'Enter your password' : '',
    }),
    change: begin,
  });
  return (
    <Form form={form} submitLabel="Continue" isBusy={begin.isPending} onCancel={onClose}>
      <PasswordField
        label="Your password"
        name="current_password"
        autoComplete="current-password"
        value={form.values.current_password}
        onValueChange={form.set('current_password')}
        error={form.errors.current_password}
      />
    </Form>
  );
}

function CodeStep({ made, onCodes, onClose }: TurnOnProps & { made: NewSecondFactor }) {
  const turnOn = useChange({
    send: ({ code }: { code: string }) =>
      postJson<RecoveryCodes>('/session/second-factor/on', { code: code.trim() }),
    touches: [['second-factor'], ['my-sessions']],
    onDone: ({ recovery_codes }) => {
      onClose();
      onCodes(recovery_codes);
    },
  });
  const form = useForm({
    initial: { code: '' },
    problemsOf: ({ code }) => ({ code: code.trim() === '' ? 'Enter the code' : '' }),
    change: turnOn,
  });
  return (
    <Form form={form} submitLabel="Turn on" isBusy={turnOn.isPending} onCancel={onClose}>
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
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        value={form.values.code}
        onValueChange={form.set('code')}
        error={form.errors.code}
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
