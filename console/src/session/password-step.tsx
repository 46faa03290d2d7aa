import { useEffect, useRef } from 'react';
import { ApiFailure } from '../api/api-failure';
import { Button } from '../ui/button';
import { PasswordField, TextField } from '../ui/field';
import { Notice } from '../ui/notice';
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
  const { field, errors, submit, formRef } = useForm<Credentials>({
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
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        autoFocus={email === ''}
        {...field('email')}
      />
      <PasswordField
        ref={passwordInput}
        label="Password"
        autoComplete="current-password"
        autoFocus={email !== ''}
        {...field('password')}
      />
      <Button kind="primary" type="submit" isBusy={signIn.isPending}>
        Sign in
      </Button>
    </form>
  );
}
