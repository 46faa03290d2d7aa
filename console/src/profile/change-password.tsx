import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { Session as SessionAnswer } from '@ticklake/client';
import { postJson } from '../api/client';
import { keepSession, queryClient, sessionQuery } from '../api/queries';
import { NewPasswordFields, PasswordField } from '../ui/field';
import { Form } from '../ui/form';
import { useToasts } from '../ui/toasts';
import { useForm } from '../ui/use-form';
import styles from './change-password.module.css';
import { type PasswordValues, passwordProblems } from './password-form';

const EMPTY: PasswordValues = { current_password: '', new_password: '', again: '' };

function useChangePassword(onDone: () => void) {
  const router = useRouter();
  return useMutation({
    mutationFn: ({ current_password, new_password }: PasswordValues) =>
      postJson<SessionAnswer>('/session/password', { current_password, new_password }),
    onSuccess: async (session) => {
      queryClient.setQueryData(sessionQuery.queryKey, keepSession(session));
      onDone();
      await router.invalidate();
    },
  });
}

/** Asks for the current password, and for the new one twice. */
export function ChangePassword({ email }: { email: string }) {
  const toasts = useToasts();
  const change = useChangePassword(() => {
    form.reset(EMPTY);
    toasts.add({
      title: 'Your password was changed',
      description: 'Your sessions in other browsers were ended.',
    });
  });
  const form = useForm({ initial: EMPTY, problemsOf: passwordProblems, change });
  return (
    <div className={styles.form}>
      <Form form={form} submitLabel="Change the password">
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
