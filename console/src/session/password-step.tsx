import { useEffect, useRef } from 'react';
import { ApiFailure } from '../api/api-failure';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';
import { PasswordField } from '../ui/password-field';
import { TextField } from '../ui/text-field';
import { type Change, useForm } from '../ui/use-form';
import { chosenEmail } from './chosen-email';
import styles from './sign-in-screen.module.css';

export interface Credentials {
  readonly [name: string]: string;
  readonly email: string;
  readonly password: string;
}

function problemsOf({ email, password }: Credentials) {
  return {
    email: email.trim() === '' ? 'Enter your e-mail address' : '',
    password: password === '' ? 'Enter your password' : '',
  };
}

export function PasswordStep({ signIn }: { signIn: Change<Credentials> }) {
  const email = chosenEmail.get();
  const { values, set, errors, submit, formRef } = useForm<Credentials>({
    initial: { email, password: '' },
    problemsOf,
    change: signIn,
  });
  const passwordInput = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Which of the two was wrong is not told; the password is what people mistype.
    if (signIn.error instanceof ApiFailure) passwordInput.current?.select();
  }, [signIn.error]);
  return (
    <form ref={formRef} className={styles.form} onSubmit={submit} noValidate>
      {errors[''] && <Notice kind="danger">{errors['']}</Notice>}
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        autoFocus={email === ''}
        value={values.email}
        onValueChange={set('email')}
        error={errors.email}
      />
      <PasswordField
        ref={passwordInput}
        label="Password"
        name="password"
        autoComplete="current-password"
        autoFocus={email !== ''}
        value={values.password}
        onValueChange={set('password')}
        error={errors.password}
      />
      <Button kind="primary" type="submit" isBusy={signIn.isPending}>
        Sign in
      </Button>
    </form>
  );
}
