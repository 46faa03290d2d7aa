import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { fieldMessages } from '../api/api-failure';
import { postJson } from '../api/client';
import { keepSession, queryClient, sessionQuery } from '../api/queries';
import type { SessionAnswer } from '../api/records';
import { ConnectionBanner } from '../layout/connection-banner';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { TextField } from '../ui/text-field';
import styles from './sign-in-screen.module.css';

const FIELDS = ['email', 'password'];

export function SignInScreen() {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => postJson<SessionAnswer>('/session', { email, password }),
    onSuccess: async (session) => {
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, keepSession(session));
      await navigate({ to: next ?? '/', replace: true });
    },
  });
  const errors = fieldMessages(signIn.error, FIELDS);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <>
      <ConnectionBanner />
      <main className={styles.screen}>
        <Page title="Sign in to Ticklake">
          {next && !signIn.error && <Notice kind="info">Sign in to go on where you were.</Notice>}
          <form className={styles.form} onSubmit={submit} noValidate>
            {errors[''] && <Notice kind="danger">{errors['']}</Notice>}
            <TextField
              label="E-mail address"
              name="email"
              type="email"
              autoComplete="username"
              value={email}
              onValueChange={setEmail}
              error={errors.email}
            />
            <TextField
              label="Password"
              name="password"
              type="password"
              autoComplete="current-password"
              value={password}
              onValueChange={setPassword}
              error={errors.password}
            />
            <Button kind="primary" type="submit" isBusy={signIn.isPending}>
              Sign in
            </Button>
          </form>
        </Page>
      </main>
    </>
  );
}
