import { SecretDialog } from '../ui/secret-dialog';

interface RecoveryCodesDialogProps {
  /** Null: closed. */
  codes: readonly string[] | null;
  onClose: () => void;
}

/** The only place that recovery codes are ever shown. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  return (
    <SecretDialog
      secret={codes?.join('\n') ?? null}
      title="Your recovery codes"
      label="Recovery codes"
      warning="This is the only time they are shown. Keep them where you keep passwords, not on the phone with the app."
      doneLabel="I have stored them"
      onClose={onClose}
    >
      <p>If you lose your phone, sign in with one of them. Each works once.</p>
    </SecretDialog>
  );
}
