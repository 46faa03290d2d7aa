import type { NewSecondFactor, PersonSession, RecoveryCodes, SecondFactor } from '@ticklake/client';
import { type ComponentProps, useMemo, useState } from 'react';
import { encode } from 'uqr';
import { postJson } from '../api/client';
import { answerQuery } from '../api/queries';
import { plural } from '../format/texts';
import { Button } from '../ui/button';
import { Dialog, SecretDialog } from '../ui/dialog';
import { PasswordField, TextField } from '../ui/field';
import { Form, FormDialog } from '../ui/form';
import { tell } from '../ui/news';
import { Card, Notice, Query } from '../ui/page';
import styles from '../ui/qr-code.module.css';
import { type FormField, useChangeForm } from '../ui/use-form';
import secondFactorCardStyles from './second-factor-card.module.css';
import turnOnDialogStyles from './turn-on-dialog.module.css';

const secondFactorQuery = answerQuery<SecondFactor>('/session/second-factor');

export const mySessionsQuery = answerQuery<readonly PersonSession[]>('/session/all');

/** The only place that recovery codes are ever shown. */
function RecoveryCodesDialog(props: { codes: readonly string[]; onClose: () => void }) {
  return (
    <SecretDialog
      secret={props.codes.join('\n')}
      title="Your recovery codes"
      label="Recovery codes"
      warning="This is the only time they are shown. Keep them where you keep passwords, not on the phone with the app."
      doneLabel="I have stored them"
      onClose={props.onClose}
    >
      <p>If you lose your phone, sign in with one of them. Each works once.</p>
    </SecretDialog>
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

interface StepProps {
  onCodes: (codes: readonly string[]) => void;
  onClose: () => void;
}

/** A change that takes the password and a code. */
function SecondFactorChangeDialog(props: StepProps & { change: FactorChange }) {
  const { change, onCodes, onClose } = props;
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
      onClose();
      if ('recovery_codes' in answer) onCodes(answer.recovery_codes);
      else tell({ title: 'Your second factor is off' });
    },
  });
  return (
    <FormDialog {...TEXTS[change]} form={form} onClose={onClose}>
      <OwnPasswordField {...form.field('current_password')} />
      <CodeField
        label="Code"
        description="From your authenticator app, or a recovery code."
        {...form.field('code')}
      />
    </FormDialog>
  );
}

function PasswordStep({
  onMade,
  onClose,
}: {
  onMade: (made: NewSecondFactor) => void;
  onClose: () => void;
}) {
  const form = useChangeForm({
    initial: { current_password: '' },
    problemsOf: ({ current_password }) => ({
      current_password: PROBLEMS.current_password(current_password),
    }),
    send: (values) => postJson<NewSecondFactor>('/session/second-factor/begin', values),
    onDone: onMade,
  });
  return (
    <Form form={form} submitLabel="Continue" onCancel={onClose}>
      <OwnPasswordField {...form.field('current_password')} />
    </Form>
  );
}

function CodeStep({ made, onCodes, onClose }: StepProps & { made: NewSecondFactor }) {
  const form = useChangeForm({
    initial: { code: '' },
    problemsOf: ({ code }) => ({ code: PROBLEMS.code(code) }),
    send: ({ code }) => postJson<RecoveryCodes>('/session/second-factor/on', { code: code.trim() }),
    touches: [secondFactorQuery.queryKey, mySessionsQuery.queryKey],
    onDone: ({ recovery_codes }) => {
      onClose();
      onCodes(recovery_codes);
    },
  });
  return (
    <Form form={form} submitLabel="Turn on" onCancel={onClose}>
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
    </Form>
  );
}

/** From the password over the QR code to the first code. */
function TurnOnDialog({ onCodes, onClose }: StepProps) {
  const [made, setMade] = useState<NewSecondFactor | null>(null);
  return (
    <Dialog
      onClose={onClose}
      title="Turn on the second factor"
      description="This ends your other sessions."
    >
      {made ? (
        <CodeStep made={made} onCodes={onCodes} onClose={onClose} />
      ) : (
        <PasswordStep onMade={setMade} onClose={onClose} />
      )}
    </Dialog>
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
  const [isTurningOn, setIsTurningOn] = useState(false);
  const [change, setChange] = useState<FactorChange | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
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
                <Button onClick={() => setChange('recovery-codes')}>New recovery codes</Button>
                <Button onClick={() => setChange('off')}>Turn off</Button>
              </div>
            </>
          ) : (
            <>
              <p>
                <strong>Off.</strong> With a second factor, your password alone is not enough to
                sign in. You need an authenticator app on your phone.
              </p>
              <Button kind="primary" onClick={() => setIsTurningOn(true)}>
                Turn on
              </Button>
            </>
          )
        }
      </Query>
      {isTurningOn && <TurnOnDialog onCodes={setCodes} onClose={() => setIsTurningOn(false)} />}
      {change && (
        <SecondFactorChangeDialog
          change={change}
          onCodes={setCodes}
          onClose={() => setChange(null)}
        />
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Card>
  );
}
