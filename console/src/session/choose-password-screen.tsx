import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ChosenPassword, OpenLink } from '@ticklake/client';
import { useState } from 'react';
import { postJson } from '../api/client';
import { utcMinuteText } from '../format/texts';
import { NewPasswordFields } from '../ui/field';
import { Form } from '../ui/form';
import { newPasswordProblems } from '../ui/input-problems';
import { Loaded, Page } from '../ui/page';
import { useForm } from '../ui/use-form';
import { chosenEmail, endOwnSession } from './session';
import { Entrance } from './sign-in-screen';

const EMPTY = { new_password: '', again: '' };

/** Takes the token behind the `#` out of the address and the browser's history. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(history.state, '', location.pathname);
  return token;
}

function openingOf({ link_kind, identity_name, email }: OpenLink): string {
  if (link_kind === 'password_reset') return `Choose a new password for ${email}.`;
  const account = identity_name === null ? '' : ` to the account ${identity_name}`;
  return `You’ve been invited${account} as ${email}. Choose a password to sign in with.`;
}

function ChoiceForm({ token, link }: { token: string; link: OpenLink }) {
  const navigate = useNavigate();
  const choose = useMutation({
    mutationFn: ({ new_password }: typeof EMPTY) =>
      postJson<ChosenPassword>('/session/link/password', { token, new_password }),
    onSuccess: async ({ email }) => {
      chosenEmail.set(email);
      await endOwnSession();
      await navigate({ to: '/sign-in', replace: true });
    },
  });
  const form = useForm({ initial: EMPTY, problemsOf: newPasswordProblems, change: choose });
  return (
    <Form form={form} submitLabel="Set password">
      {/* Tells password managers whose password this is. */}
      <input type="text" autoComplete="username" value={link.email} readOnly hidden />
      <NewPasswordFields field={form.field} isFirst />
      <p>The link works once, until {utcMinuteText(link.link_expires_at)}.</p>
    </Form>
  );
}

export default function ChoosePasswordScreen() {
  const [token] = useState(takeToken);
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => postJson<OpenLink>('/session/link', { token }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Entrance>
      <Page title="Choose your password">
        {link.data && <p>{openingOf(link.data)}</p>}
        <Loaded query={link} what="the link">
          {(data) => <ChoiceForm token={token} link={data} />}
        </Loaded>
      </Page>
    </Entrance>
  );
}
