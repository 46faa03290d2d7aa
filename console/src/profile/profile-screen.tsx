import { useRouter } from '@tanstack/react-router';
import type { Session as SessionAnswer } from '@ticklake/client';
import { postJson } from '../api/client';
import { keepSession, queryClient, sessionQuery } from '../api/queries';
import { ROLE_OPTIONS } from '../people/person-changes';
import { SessionTable, useEndSessions } from '../people/session-table';
import { type Session, useSession } from '../session/session';
import { Button } from '../ui/button';
import { NewPasswordFields, PasswordField } from '../ui/field';
import { Form } from '../ui/form';
import { type PasswordValues, passwordProblems } from '../ui/input-problems';
import { tell } from '../ui/news';
import { Card, Notice, Page, Query } from '../ui/page';
import { EmailText, Facts, MomentText } from '../ui/texts';
import { useChangeForm } from '../ui/use-form';
import styles from './change-password.module.css';
import { mySessionsQuery, SecondFactorCard } from './second-factor-card';

const EMPTY: PasswordValues = { current_password: '', new_password: '', again: '' };

function ChangePassword({ email }: { email: string }) {
  const router = useRouter();
  const form = useChangeForm({
    initial: EMPTY,
    problemsOf: passwordProblems,
    send: ({ current_password, new_password }: PasswordValues) =>
      postJson<SessionAnswer>('/session/password', { current_password, new_password }),
    onDone: (session) => {
      queryClient.setQueryData(sessionQuery.queryKey, keepSession(session));
      tell({
        title: 'Your password was changed',
        description: 'Your sessions in other browsers were ended.',
      });
      void router.invalidate();
    },
    resetTo: () => EMPTY,
  });
  return (
    <div className={styles.form}>
      <Form form={form} submitLabel="Change password">
        {/* Tells password managers whose password this is. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          {...form.field('current_password')}
        />
        <NewPasswordFields field={form.field} />
      </Form>
    </div>
  );
}

function SessionsCard() {
  const end = useEndSessions('/session/all/end', mySessionsQuery.queryKey);
  return (
    <Card title="Where you are signed in">
      <Query of={mySessionsQuery} what="your sessions">
        {(rows) => (
          <>
            <SessionTable sessions={rows} end={end} />
            {rows.length > 1 && (
              <Button isBusy={end.isPending} onClick={() => end.mutate({})}>
                End all other sessions
              </Button>
            )}
          </>
        )}
      </Query>
      {end.error && <Notice kind="danger">{end.error.message}</Notice>}
    </Card>
  );
}

function factsOf({ person, account, sourceAddress }: Session) {
  return [
    { name: 'E-mail address', value: <EmailText email={person.email} /> },
    { name: 'Role', value: ROLE_OPTIONS.find(({ value }) => value === person.role)?.label },
    { name: 'Account', value: account?.name ?? 'None' },
    { name: 'Last sign-in', value: <MomentText time={person.last_sign_in_at} isShort /> },
    { name: 'Created', value: <MomentText time={person.created_at} isShort /> },
    { name: 'Your address', value: sourceAddress },
  ];
}

export default function ProfileScreen() {
  const session = useSession();
  return (
    <Page title="Profile">
      <Card title="Your details">
        <Facts facts={factsOf(session)} />
      </Card>
      <Card title="Change your password">
        <ChangePassword email={session.person.email} />
      </Card>
      <SecondFactorCard />
      <SessionsCard />
    </Page>
  );
}
