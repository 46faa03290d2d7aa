import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Session as SessionAnswer } from '@ticklake/client';
import { useEffect, useRef } from 'react';
import { ApiFailure } from '../api/api-failure';
import { postJson } from '../api/client';
import { keepSession, queryClient, sessionQuery } from '../api/queries';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { PasswordField } from '../ui/password-field';
import { TextField } from '../ui/text-field';
import { useForm } from '../ui/use-form';
import { chosenEmail } from './chosen-email';
import { Entrance } from './entrance';
import styles from './sign-in-screen.module.css';

interface Credentials {
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

/** Begins a session, then goes where the person wanted to. */
function useSignIn() {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ email, password }: Credentials) =>
      postJson<SessionAnswer>('/session', { email: email.trim(), password }),
    onSuccess: async (session) => {
      queryClient.clear();
      chosenEmail.set('');
      queryClient.setQueryData(sessionQuery.queryKey, keepSession(session));
      await navigate({ href: next ?? '/', replace: true });
    },
  });
}

function SignInForm() {
  const email = chosenEmail.get();
  const signIn = useSignIn();
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
        autoFocus={email !== ''}
        label="Password"
        name="password"
        autoComplete="current-password"
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

export function SignInScreen() {
  const { next } = useSearch({ from: '/sign-in' });
  const email = chosenEmail.get();
  return (
    <Entrance>
      <Page title="Sign in to Ticklake">
        {email !== '' && <Notice kind="good">Your password is set. Sign in with it.</Notice>}
        {next && next !== '/' && (
          <p className={styles.next}>You will return to the page that you asked for.</p>
        )}
        <SignInForm />
      </Page>
    </Entrance>
  );
}
