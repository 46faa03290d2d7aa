import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { SignIn } from '@ticklake/client';
import { useState } from 'react';
import { postJson } from '../api/client';
import { keepSession, queryClient, sessionQuery } from '../api/queries';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { chosenEmail } from './chosen-email';
import { CodeStep } from './code-step';
import { Entrance } from './entrance';
import { type Credentials, PasswordStep } from './password-step';
import styles from './sign-in-screen.module.css';

/** Begins a session, then goes where the person wanted to. `onCodeWanted`: the password is right, a code is missing. */
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
  const [isNewlySet, setIsNewlySet] = useState(() => chosenEmail.get() !== '');
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
