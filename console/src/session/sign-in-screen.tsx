import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { SignIn } from '@ticklake/client';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiFailure, postJson } from '../api/client';
import { keepSession, queryClient, sessionQuery } from '../api/queries';
import { ConnectionBanner } from '../layout/server-away';
import { Button } from '../ui/button';
import { PasswordField, TextField } from '../ui/field';
import { NameMark } from '../ui/name-mark';
import { Notice, Page } from '../ui/page';
import { type Change, useForm } from '../ui/use-form';
import styles from './entrance.module.css';
import { chosenEmail } from './session';

/** The frame of screens for people who are not signed in. */
export function Entrance({ children }: { children: ReactNode }) {
  return (
    <>
      <div className={styles.top}>
        <ConnectionBanner />
      </div>
      <main className={styles.screen}>
        <div className={styles.content}>
          <p className={styles.brand}>
            <NameMark />
          </p>
          {children}
        </div>
      </main>
    </>
  );
}

type Credentials = Readonly<Record<'email' | 'password', string> & Record<string, string>>;

function problemsOf({ email, password }: Credentials) {
  return {
    email: email.trim() === '' ? 'Enter your e-mail address' : '',
    password: password === '' ? 'Enter your password' : '',
  };
}

interface StepProps {
  form: ReturnType<typeof useForm<Credentials>>;
  /** The fields. */
  children: ReactNode;
  onBack?: () => void;
}

function Step({ form, children, onBack }: StepProps) {
  return (
    <form ref={form.formRef} className={styles.form} onSubmit={form.submit} noValidate>
      {form.errors[''] && <Notice kind="danger">{form.errors['']}</Notice>}
      {children}
      <Button kind="primary" type="submit" isBusy={form.isBusy}>
        Sign in
      </Button>
      {onBack && (
        <Button kind="quiet" onClick={onBack}>
          Sign in as somebody else
        </Button>
      )}
    </form>
  );
}

function PasswordStep({ signIn }: { signIn: Change<Credentials> }) {
  const email = chosenEmail.state();
  const initial = { email, password: '' };
  const form = useForm<Credentials>({ initial, problemsOf, change: signIn });
  const passwordInput = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Which of the two was wrong is not told; the password is what people mistype.
    if (signIn.error instanceof ApiFailure) passwordInput.current?.select();
  }, [signIn.error]);
  return (
    <Step form={form}>
      <TextField
        label="E-mail address"
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        autoFocus={email === ''}
        {...form.field('email')}
      />
      <PasswordField
        ref={passwordInput}
        label="Password"
        autoComplete="current-password"
        autoFocus={email !== ''}
        {...form.field('password')}
      />
    </Step>
  );
}

interface CodeStepProps {
  signIn: Change<Credentials>;
  credentials: Credentials;
  onBack: () => void;
}

function CodeStep({ signIn, credentials, onBack }: CodeStepProps) {
  const form = useForm<Credentials>({
    initial: { ...credentials, code: '' },
    problemsOf: ({ code = '' }) => ({ code: code.trim() === '' ? 'Enter the code' : '' }),
    change: signIn,
  });
  return (
    <Step form={form} onBack={onBack}>
      <TextField
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        description="From your authenticator app, or one of your recovery codes."
        {...form.field('code')}
      />
    </Step>
  );
}

/** Begins a session and goes on. `onCodeWanted`: the password is right, a code is missing. */
function useSignIn(onTried: () => void, onCodeWanted: (credentials: Credentials) => void) {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ email, ...secrets }: Credentials) =>
      postJson<SignIn>('/session', { email: email.trim(), ...secrets }),
    onMutate: onTried,
    onSuccess: async (answer, credentials) => {
      if ('needs_code' in answer) return onCodeWanted(credentials);
      queryClient.clear();
      chosenEmail.set('');
      queryClient.setQueryData(sessionQuery.queryKey, keepSession(answer));
      await navigate({ href: next ?? '/', replace: true });
    },
  });
}

function SignInForm({ onTried }: { onTried: () => void }) {
  const [codeFor, setCodeFor] = useState<Credentials | null>(null);
  const signIn = useSignIn(onTried, setCodeFor);
  if (codeFor === null) return <PasswordStep signIn={signIn} />;
  return (
    <CodeStep
      key={codeFor.email}
      signIn={signIn}
      credentials={codeFor}
      onBack={() => {
        signIn.reset();
        setCodeFor(null);
      }}
    />
  );
}

export function SignInScreen() {
  const { next } = useSearch({ from: '/sign-in' });
  const [isNewlySet, setIsNewlySet] = useState(() => chosenEmail.state() !== '');
  return (
    <Entrance>
      <Page title="Sign in to Ticklake">
        {isNewlySet && <Notice kind="good">Your password is set. Sign in with it.</Notice>}
        {next && next !== '/' && (
          <p className={styles.next}>After you sign in, you’ll go to the page you asked for.</p>
        )}
        <SignInForm onTried={() => setIsNewlySet(false)} />
      </Page>
    </Entrance>
  );
}
