import type { RecoveryCodes, SecondFactor } from '@ticklake/client';
import { postJson } from '../api/client';
import { PasswordField, TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { useToasts } from '../ui/toasts';
import { useChangeForm } from '../ui/use-form';

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

interface SecondFactorChangeProps {
  change: FactorChange;
  onCodes: (codes: readonly string[]) => void;
  onClose: () => void;
}

/** A change that takes the password and a code. */
export function SecondFactorChangeDialog({ change, onCodes, onClose }: SecondFactorChangeProps) {
  const toasts = useToasts();
  const form = useChangeForm({
    initial: { current_password: '', code: '' },
    problemsOf: ({ current_password, code }) => ({
      current_password: current_password === '' ? 'Enter your password' : '',
      code: code.trim() === '' ? 'Enter the code' : '',
    }),
    send: (both) =>
      postJson<RecoveryCodes | SecondFactor>(`/session/second-factor/${change}`, both),
    touches: [['second-factor']],
    onDone: (answer) => {
      onClose();
      if ('recovery_codes' in answer) onCodes(answer.recovery_codes);
      else toasts.add({ title: 'Your second factor is off' });
    },
  });
  const { title, description, submit } = TEXTS[change];
  return (
    <FormDialog {...{ title, description, form, onClose }} submitLabel={submit}>
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        {...form.field('current_password')}
      />
      <TextField
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        description="From your authenticator app, or a recovery code."
        {...form.field('code')}
      />
    </FormDialog>
  );
}
