import type { NewSecondFactor, PersonSession, RecoveryCodes, SecondFactor } from '@ticklake/client';
import { type ComponentProps, useMemo } from 'react';
import { encode } from 'uqr';
import { postJson } from '../api/client';
import { answerQuery } from '../api/queries';
import { plural } from '../format/texts';
import { Button } from '../ui/button';
import { SecretDialog } from '../ui/dialog';
import { PasswordField, TextField } from '../ui/field';
import { FormDialog } from '../ui/form';
import { tell } from '../ui/news';
import { showDialog } from '../ui/open-dialog';
import { Card, Notice, Query } from '../ui/page';
import styles from '../ui/qr-code.module.css';
import { type FormField, useChangeForm } from '../ui/use-form';
import secondFactorCardStyles from './second-factor-card.module.css';
import turnOnDialogStyles from './turn-on-dialog.module.css';

const secondFactorQuery = answerQuery<SecondFactor>('/session/second-factor');

export const mySessionsQuery = answerQuery<readonly PersonSession[]>('/session/all');

/** The only place that recovery codes are ever shown. */
function showCodes({ recovery_codes: codes }: RecoveryCodes): void {
  showDialog(
    <SecretDialog
      secret={codes.join('\n')}
      title="Your recovery codes"
      label="Recovery codes"
      warning="This is the only time they are shown. Keep them where you keep passwords, not on the phone with the app."
      doneLabel="I have stored them"
    >
      <p>If you lose your phone, sign in with one of them. Each works once.</p>
    </SecretDialog>,
  );
}

/** Modules of light around a code that readers need to find it. */
const QUIET_MODULES = 4;

/** A QR code, drawn here: what it holds goes nowhere. `label` says what scanning it does. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const code = encode(text, { border: QUIET_MODULES, ecc: 'M' });
    const squares = code.data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
    );
    return { size: code.size, path: squares.join('') };
  }, [text]);
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} className={styles.code}>
      <path d={path} shapeRendering="crispEdges" />
    </svg>
  );
}

/** The person knows the one, their phone says the other. */
const PROBLEMS = {
  current_password: (text: string) => (text === '' ? 'Enter your password' : ''),
  code: (text: string) => (text.trim() === '' ? 'Enter the code' : ''),
};

function OwnPasswordField(field: FormField<string>) {
  return <PasswordField label="Your password" autoComplete="current-password" {...field} />;
}

function CodeField(props: Omit<ComponentProps<typeof TextField>, 'inputMode' | 'autoComplete'>) {
  return <TextField inputMode="numeric" autoComplete="one-time-code" {...props} />;
}

type FactorChange = 'off' | 'recovery-codes';

const TEXTS = {
  off: {
    title: 'Turn off the second factor?',
    description: 'Your password alone will be enough to sign in.',
    submitLabel: 'Turn off',
  },
  'recovery-codes': {
    title: 'Make new recovery codes?',
    description: 'The old ones stop working.',
    submitLabel: 'Make new codes',
  },
} as const;

/** A change that takes the password and a code. */
function SecondFactorChangeDialog({ change }: { change: FactorChange }) {
  const form = useChangeForm({
    initial: { current_password: '', code: '' },
    problemsOf: ({ current_password, code }) => ({
      current_password: PROBLEMS.current_password(current_password),
      code: PROBLEMS.code(code),
    }),
    send: (both) =>
      postJson<RecoveryCodes | SecondFactor>(`/session/second-factor/${change}`, both),
    touches: [secondFactorQuery.queryKey],
    onDone: (answer) => {
      if ('recovery_codes' in answer) showCodes(answer);
      else tell({ title: 'Your second factor is off' });
    },
  });
  return (
    <FormDialog {...TEXTS[change]} form={form}>
      <OwnPasswordField {...form.field('current_password')} />
      <CodeField
        label="Code"
        description="From your authenticator app, or a recovery code."
        {...form.field('code')}
      />
    </FormDialog>
  );
}

const TURN_ON = {
  title: 'Turn on the second factor',
  description: 'This ends your other sessions.',
};

/** From the password over the QR code to the first code. */
function PasswordDialog() {
  const form = useChangeForm({
    initial: { current_password: '' },
    problemsOf: ({ current_password }) => ({
      current_password: PROBLEMS.current_password(current_password),
    }),
    send: (values) => postJson<NewSecondFactor>('/session/second-factor/begin', values),
    onDone: (made, _, isShown) => {
      if (isShown) showDialog(<CodeDialog made={made} />);
    },
  });
  return (
    <FormDialog {...TURN_ON} form={form} submitLabel="Continue">
      <OwnPasswordField {...form.field('current_password')} />
    </FormDialog>
  );
}

function CodeDialog({ made }: { made: NewSecondFactor }) {
  const form = useChangeForm({
    initial: { code: '' },
    problemsOf: ({ code }) => ({ code: PROBLEMS.code(code) }),
    send: ({ code }) => postJson<RecoveryCodes>('/session/second-factor/on', { code: code.trim() }),
    touches: [secondFactorQuery.queryKey, mySessionsQuery.queryKey],
    onDone: showCodes,
  });
  return (
    <FormDialog {...TURN_ON} form={form} submitLabel="Turn on">
      <div className={turnOnDialogStyles.scan}>
        <QrCode text={made.uri} label="QR code to scan with an authenticator app" />
        <div>
          <p>Scan the code with your authenticator app. If you can’t, type this key:</p>
          <p className={turnOnDialogStyles.secret}>
            <code>{made.secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code>
          </p>
        </div>
      </div>
      <CodeField label="Code from the app" autoFocus {...form.field('code')} />
    </FormDialog>
  );
}

const FEW_CODES = 3;

function CodesLeft({ count }: { count: number }) {
  if (count > FEW_CODES) return <p>{plural(count, 'recovery code')} left.</p>;
  return (
    <Notice kind="warning">
      {count === 0 ? 'No recovery codes left' : `Only ${plural(count, 'recovery code')} left`}: make
      new ones, or losing your phone locks you out.
    </Notice>
  );
}

export function SecondFactorCard() {
  const ask = (change: FactorChange) => () =>
    showDialog(<SecondFactorChangeDialog change={change} />);
  return (
    <Card title="Second factor">
      <Query of={secondFactorQuery} what="your second factor">
        {({ is_on, recovery_codes_left }) =>
          is_on ? (
            <>
              <p>
                <strong>On.</strong> Signing in takes your password and a code from your
                authenticator app.
              </p>
              <CodesLeft count={recovery_codes_left} />
              <div className={secondFactorCardStyles.buttons}>
                <Button onClick={ask('recovery-codes')}>New recovery codes</Button>
                <Button onClick={ask('off')}>Turn off</Button>
              </div>
            </>
          ) : (
            <>
              <p>
                <strong>Off.</strong> With a second factor, your password alone is not enough to
                sign in. You need an authenticator app on your phone.
              </p>
              <Button kind="primary" onClick={() => showDialog(<PasswordDialog />)}>
                Turn on
              </Button>
            </>
          )
        }
      </Query>
    </Card>
  );
}
