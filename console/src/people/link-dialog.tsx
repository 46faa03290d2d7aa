import type { PersonLink } from '@ticklake/client';
import { utcMinuteText } from '../format/times';
import { SecretDialog } from '../ui/secret-dialog';

const TITLES = {
  invitation: (email: string) => `Invitation for ${email}`,
  password_reset: (email: string) => `New password for ${email}`,
} as const;

/** A link to choose a password, told once. */
export function LinkDialog({ made, onClose }: { made: PersonLink | null; onClose: () => void }) {
  return (
    <SecretDialog
      secret={made?.link ?? null}
      title={made ? TITLES[made.link_kind](made.email) : ''}
      label="Link"
      warning="This is the only time the link is shown. Send it to this person and nobody else."
      doneLabel="Done"
      onClose={onClose}
    >
      <p>
        It works once, until {made && utcMinuteText(made.link_expires_at)}. If it gets lost, make a
        new one.
      </p>
    </SecretDialog>
  );
}
