import { Button } from '../ui/button';
import { TextField } from '../ui/field';
import { Notice } from '../ui/notice';
import { type Change, useForm } from '../ui/use-form';
import type { Credentials } from './password-step';
import styles from './sign-in-screen.module.css';

interface CodeStepProps {
  signIn: Change<Credentials>;
  /** What was right so far. */
  credentials: Credentials;
  onBack: () => void;
}

/** The second factor, after the password. */
export function CodeStep({ signIn, credentials, onBack }: CodeStepProps) {
  const { field, errors, submit, formRef } = useForm<Credentials>({
    initial: { ...credentials, code: '' },
    problemsOf: ({ code = '' }) => ({ code: code.trim() === '' ? 'Enter the code' : '' }),
    change: signIn,
  });
  return (
    <form ref={formRef} className={styles.form} onSubmit={submit} noValidate>
      {errors[''] && <Notice kind="danger">{errors['']}</Notice>}
      <TextField
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        description="From your authenticator app, or one of your recovery codes."
        {...field('code')}
      />
      <Button kind="primary" type="submit" isBusy={signIn.isPending}>
        Sign in
      </Button>
      <Button kind="quiet" onClick={onBack}>
        Sign in as somebody else
      </Button>
    </form>
  );
}
