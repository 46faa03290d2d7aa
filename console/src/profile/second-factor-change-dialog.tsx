import type { RecoveryCodes, SecondFactor } from '@ticklake/client';
import { postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { PasswordField } from '../ui/password-field';
import { TextField } from '../ui/text-field';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';

export type FactorChange = 'off' | 'recovery-codes';

const TEXTS = {
  off: {
    title: 'Turn off the second factor?',
    description: 'Your password alone will be enough to sign in.',
    submit: 'Turn off',
  },
  'recovery-codes': {
    title: 'Make new recovery codes?',
    description: 'The old ones stop working.',
    submit: 'Make new codes',
  },
} as const;

const EMPTY = { current_password: '', code: '' };

interface SecondFactorChangeProps {
  change: FactorChange;
  onCodes: (codes: readonly string[]) => void;
  onClose: () => void;
}

/** A change that takes the password and a code. */
export function SecondFactorChangeDialog({ change, onCodes, onClose }: SecondFactorChangeProps) {
  const toasts = useToasts();
  const send = useChange({
    send: (both: typeof EMPTY) =>
      postJson<RecoveryCodes | SecondFactor>(`/session/second-factor/${change}`, both),
    touches: [['second-factor']],
    onDone: (answer) => {
      onClose();
      if ('recovery_codes' in answer) onCodes(answer.recovery_codes);
      else toasts.add({ title: 'Your second factor is off' });
    },
  });
  const form = useForm({
    initial: EMPTY,
    problemsOf: ({ current_password, code }) => ({
      current_password: current_password === '' ? 'Enter your password' : '',
      code: code.trim() === '' ? 'Enter the code' : '',
    }),
    change: send,
  });
  const { values, set, errors } = form;
  const { title, description, submit } = TEXTS[change];
  return (
    <Dialog isOpen onClose={onClose} title={title} description={description}>
      <Form form={form} submitLabel={submit} isBusy={send.isPending} onCancel={onClose}>
        <PasswordField
          label="Your password"
          name="current_password"
          autoComplete="current-password"
          value={values.current_password}
          onValueChange={set('current_password')}
          error={errors.current_password}
        />
        <TextField
          label="Code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          description="From your authenticator app, or a recovery code."
          value={values.code}
          onValueChange={set('code')}
          error={errors.code}
        />
      </Form>
    </Dialog>
  );
}
